/* Matrices: products, transposes, determinants and inverses modulo a prime,
 * and determinants of small signed matrices without fractions.
 *
 * Nested counted loops over rows and columns with a multiplication and a
 * remainder inside; signed products and quotients besides. The laws of linear
 * algebra are the checks: det(AB) = det(A) det(B), (AB)^T = B^T A^T,
 * A A^-1 = 1.
 */
#include "guest.h"
#include "print.h"

#ifndef GUEST_REPEAT
#define GUEST_REPEAT 6
#endif

#define ORDER 16
#define SMALL_ORDER 6
#define MODULUS UINT32_C(65521) /* the greatest prime below 2^16 */
#define GENERATOR_SEED UINT32_C(0x41c64e6d)

/* Cells are below the modulus; those of a matrix of lower order stand first. */
struct matrix {
    uint16_t cells[ORDER][ORDER];
};

/* Whole numbers from -3 to 3: no minor of such a matrix exceeds 27000
 * (Hadamard's bound for order 6), so that differences of two products of
 * minors fit 32 bits.
 */
struct small_matrix {
    int32_t cells[SMALL_ORDER][SMALL_ORDER];
};

static struct matrix left, right, product, first, second;
static struct small_matrix small;
static uint32_t random_state = GENERATOR_SEED;

static uint16_t multiply_cells(uint16_t a, uint16_t b)
{
    return (uint16_t)((uint32_t)a * b % MODULUS);
}

static uint16_t subtract_cells(uint16_t a, uint16_t b)
{
    return (uint16_t)((a >= b ? 0 : MODULUS) + a - b);
}

/* a^(p-2) is the inverse of a modulo the prime p (Fermat). */
static uint16_t invert_cell(uint16_t cell)
{
    uint16_t exponent = (uint16_t)(MODULUS - 2);
    uint16_t inverse = 1;

    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            inverse = multiply_cells(inverse, cell);
        cell = multiply_cells(cell, cell);
    }
    return inverse;
}

/* A sum below the modulus and a product of two cells fit 32 bits together. */
static void multiply(const struct matrix *a, const struct matrix *b, struct matrix *result)
{
    uint8_t row, column, index;

    for (row = 0; row < ORDER; row++) {
        for (column = 0; column < ORDER; column++) {
            uint32_t sum = 0;

            for (index = 0; index < ORDER; index++)
                sum = (sum + (uint32_t)a->cells[row][index] * b->cells[index][column]) % MODULUS;
            result->cells[row][column] = (uint16_t)sum;
        }
    }
}

static void transpose(const struct matrix *matrix, struct matrix *result)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++)
        for (column = 0; column < ORDER; column++)
            result->cells[column][row] = matrix->cells[row][column];
}

static void copy(const struct matrix *matrix, struct matrix *result)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++)
        for (column = 0; column < ORDER; column++)
            result->cells[row][column] = matrix->cells[row][column];
}

static void fill_with_identity(struct matrix *matrix)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++)
        for (column = 0; column < ORDER; column++)
            matrix->cells[row][column] = row == column;
}

static uint8_t is_equal(const struct matrix *a, const struct matrix *b)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++)
        for (column = 0; column < ORDER; column++)
            if (a->cells[row][column] != b->cells[row][column])
                return 0;
    return 1;
}

static void swap_rows(struct matrix *matrix, uint8_t a, uint8_t b)
{
    uint8_t column;

    for (column = 0; column < ORDER; column++) {
        uint16_t cell = matrix->cells[a][column];

        matrix->cells[a][column] = matrix->cells[b][column];
        matrix->cells[b][column] = cell;
    }
}

/* Subtracts `factor` times row `from` from row `row`. */
static void subtract_row(struct matrix *matrix, uint8_t row, uint8_t from, uint16_t factor)
{
    uint8_t column;

    for (column = 0; column < ORDER; column++) {
        uint16_t cell = multiply_cells(factor, matrix->cells[from][column]);

        matrix->cells[row][column] = subtract_cells(matrix->cells[row][column], cell);
    }
}

/* The first row from `row` on with something in column `row`; ORDER if none. */
static uint8_t find_pivot(const struct matrix *matrix, uint8_t row)
{
    uint8_t pivot = row;

    while (pivot < ORDER && matrix->cells[pivot][row] == 0)
        pivot++;
    return pivot;
}

/* Gauss's elimination below the diagonal, whose product is the determinant.
 * Overwrites the matrix.
 */
static uint16_t determinant(struct matrix *matrix)
{
    uint16_t result = 1;
    uint8_t row, below;

    for (row = 0; row < ORDER; row++) {
        uint8_t pivot = find_pivot(matrix, row);
        uint16_t inverse;

        if (pivot == ORDER)
            return 0;
        if (pivot != row) {
            swap_rows(matrix, pivot, row);
            result = subtract_cells(0, result);
        }
        result = multiply_cells(result, matrix->cells[row][row]);
        inverse = invert_cell(matrix->cells[row][row]);
        for (below = (uint8_t)(row + 1); below < ORDER; below++)
            subtract_row(matrix, below, row, multiply_cells(matrix->cells[below][row], inverse));
    }
    return result;
}

static uint16_t determinant_of(const struct matrix *matrix)
{
    copy(matrix, &second);
    return determinant(&second);
}

/* Gauss's and Jordan's elimination: what makes the matrix the identity makes
 * the identity its inverse. Overwrites the matrix; fails if it is singular.
 */
static uint8_t invert(struct matrix *matrix, struct matrix *inverse)
{
    uint8_t row, other, column;

    fill_with_identity(inverse);
    for (row = 0; row < ORDER; row++) {
        uint8_t pivot = find_pivot(matrix, row);
        uint16_t factor;

        if (pivot == ORDER)
            return 0;
        swap_rows(matrix, pivot, row);
        swap_rows(inverse, pivot, row);
        factor = invert_cell(matrix->cells[row][row]);
        for (column = 0; column < ORDER; column++) {
            matrix->cells[row][column] = multiply_cells(matrix->cells[row][column], factor);
            inverse->cells[row][column] = multiply_cells(inverse->cells[row][column], factor);
        }
        for (other = 0; other < ORDER; other++) {
            if (other == row)
                continue;
            factor = matrix->cells[other][row];
            subtract_row(matrix, other, row, factor);
            subtract_row(inverse, other, row, factor);
        }
    }
    return 1;
}

/* Makes the diagonal cell of a row other than zero by swapping it with one
 * below; returns the sign that the swap gives, 0 if there is none to swap.
 */
static int8_t find_small_pivot(struct small_matrix *matrix, uint8_t row)
{
    uint8_t pivot = row;
    uint8_t column;

    while (matrix->cells[pivot][row] == 0)
        if (++pivot == SMALL_ORDER)
            return 0;
    if (pivot == row)
        return 1;
    for (column = 0; column < SMALL_ORDER; column++) {
        int32_t cell = matrix->cells[pivot][column];

        matrix->cells[pivot][column] = matrix->cells[row][column];
        matrix->cells[row][column] = cell;
    }
    return -1;
}

/* Bareiss's elimination: each quotient is a minor of the matrix, hence whole.
 * Overwrites the matrix.
 */
static int32_t small_determinant(struct small_matrix *matrix)
{
    int32_t divisor = 1;
    int8_t sign = 1;
    uint8_t step, row, column;

    for (step = 0; step < SMALL_ORDER - 1; step++) {
        int8_t swap_sign = find_small_pivot(matrix, step);
        int32_t pivot = matrix->cells[step][step];

        if (swap_sign == 0)
            return 0;
        if (swap_sign < 0)
            sign = (int8_t)-sign;
        for (row = (uint8_t)(step + 1); row < SMALL_ORDER; row++) {
            for (column = (uint8_t)(step + 1); column < SMALL_ORDER; column++) {
                int32_t minuend = matrix->cells[row][column] * pivot;
                int32_t subtrahend = matrix->cells[row][step] * matrix->cells[step][column];

                matrix->cells[row][column] = (minuend - subtrahend) / divisor;
            }
        }
        divisor = pivot;
    }
    return sign * matrix->cells[SMALL_ORDER - 1][SMALL_ORDER - 1];
}

static uint16_t reduce(int32_t value)
{
    int32_t remainder = value % (int32_t)MODULUS;

    return (uint16_t)(remainder < 0 ? remainder + (int32_t)MODULUS : remainder);
}

/* The small matrix's determinant and that of its image modulo the prime, with
 * ones on the rest of the diagonal.
 */
static uint8_t small_determinants_agree(int32_t *determinant_found)
{
    uint8_t row, column;

    fill_with_identity(&first);
    for (row = 0; row < SMALL_ORDER; row++)
        for (column = 0; column < SMALL_ORDER; column++)
            first.cells[row][column] = reduce(small.cells[row][column]);
    *determinant_found = small_determinant(&small);
    return reduce(*determinant_found) == determinant(&first);
}

/* Marsaglia's xorshift generator. */
static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void fill(struct matrix *matrix)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++)
        for (column = 0; column < ORDER; column++)
            matrix->cells[row][column] = (uint16_t)(next_random() % MODULUS);
}

static void fill_small(void)
{
    uint8_t row, column;

    for (row = 0; row < SMALL_ORDER; row++)
        for (column = 0; column < SMALL_ORDER; column++)
            small.cells[row][column] = (int32_t)(next_random() % 7) - 3;
}

/* Pascal's triangle as a symmetric matrix; its determinant is 1. */
static void fill_with_binomials(struct matrix *matrix)
{
    uint8_t row, column;

    for (row = 0; row < ORDER; row++) {
        for (column = 0; column < ORDER; column++) {
            uint32_t sum = 1;

            if (row != 0 && column != 0)
                sum = (uint32_t)matrix->cells[row - 1][column] + matrix->cells[row][column - 1];
            matrix->cells[row][column] = (uint16_t)(sum % MODULUS);
        }
    }
}

/* Powers of 1 to ORDER (Vandermonde); returns the determinant, the product of
 * all differences of two of these numbers.
 */
static uint16_t fill_with_powers(struct matrix *matrix)
{
    uint16_t expected = 1;
    uint8_t row, column;

    for (row = 0; row < ORDER; row++) {
        matrix->cells[row][0] = 1;
        for (column = 1; column < ORDER; column++)
            matrix->cells[row][column] = multiply_cells(matrix->cells[row][column - 1], (uint16_t)(row + 1));
        for (column = 0; column < row; column++)
            expected = multiply_cells(expected, (uint16_t)(row - column));
    }
    return expected;
}

/* Prints a determinant and checks it. */
static uint8_t is_known(const char *name, int32_t found, int32_t expected)
{
    print("matrix: determinant of %s is %ld\n", name, (long)found);
    if (found == expected)
        return 1;
    print("matrix: expected %ld\n", (long)expected);
    return 0;
}

static uint8_t passes_known_answers(void)
{
    /* Every row a turn of 3 2 1 0 -1 -2: a circulant matrix. */
    static const int8_t turned[SMALL_ORDER] = {3, 2, 1, 0, -1, -2};
    uint8_t passed;
    uint16_t expected;
    int32_t found;
    uint8_t row, column;

    fill_with_binomials(&left);
    passed = is_known("binomials", determinant_of(&left), 1);
    expected = fill_with_powers(&right);
    passed &= is_known("powers", determinant_of(&right), expected);
    for (row = 0; row < SMALL_ORDER; row++)
        for (column = 0; column < SMALL_ORDER; column++)
            small.cells[row][column] = turned[(column + SMALL_ORDER - row) % SMALL_ORDER];
    passed &= small_determinants_agree(&found);
    passed &= is_known("turns", found, 3888);
    return passed;
}

/* det(AB) = det(A) det(B) */
static uint8_t determinants_agree(uint16_t found)
{
    return found == multiply_cells(determinant_of(&left), determinant_of(&right));
}

/* A A^-1 = 1, unless the determinant says that there is no inverse. */
static uint8_t inverses_agree(uint16_t determinant_found)
{
    uint8_t is_regular;

    copy(&product, &first);
    is_regular = invert(&first, &second);
    if (determinant_found == 0)
        return !is_regular;
    multiply(&product, &second, &first);
    fill_with_identity(&second);
    return is_regular && is_equal(&first, &second);
}

/* (AB)^T = B^T A^T; overwrites `left`. */
static uint8_t transposes_agree(void)
{
    transpose(&left, &first);
    transpose(&right, &second);
    multiply(&second, &first, &left);
    transpose(&product, &second);
    return is_equal(&left, &second);
}

/* Returns the name of the law that fails, none if all hold. */
static const char *run_round(uint32_t *check)
{
    uint16_t large_found;
    int32_t small_found;

    fill(&left);
    fill(&right);
    multiply(&left, &right, &product);
    large_found = determinant_of(&product);
    if (!determinants_agree(large_found))
        return "the determinant of a product";
    if (!inverses_agree(large_found))
        return "the inverse";
    if (!transposes_agree())
        return "the transpose of a product";
    fill_small();
    if (!small_determinants_agree(&small_found))
        return "the determinant of a small matrix";
    *check = (*check << 5 | *check >> 27) ^ (large_found + (uint32_t)small_found);
    *check ^= (uint32_t)product.cells[0][ORDER - 1] << 16;
    return NULL;
}

int main(int argc, char **argv)
{
    uint32_t rounds = guest_repeat(argc, argv, GUEST_REPEAT);
    uint32_t check = 0;
    uint32_t round;

    if (!passes_known_answers())
        return GUEST_FAILED;
    for (round = 0; round < rounds; round++) {
        const char *broken_law = run_round(&check);

        if (broken_law != NULL) {
            print("matrix: %s is wrong after %lu rounds\n", broken_law, (unsigned long)round);
            return GUEST_FAILED;
        }
    }
    print("matrix: %lu rounds of order %d and %d\n", (unsigned long)rounds, ORDER, SMALL_ORDER);
    print("matrix: check %08lx\n", (unsigned long)check);
    return GUEST_PASSED;
}
