// Names that compilers mangle, functions of which nothing is left but lines, a template.
namespace shapes {

struct Square {
    int side;
    int area() const { return side * side; }
};

struct Strip {
    int length;
    int area() const { return length * 3; }
};

template <typename Shape> __attribute__((noinline)) int doubled(const Shape &shape) {
    return shape.area() + shape.area();
}

__attribute__((always_inline)) inline int halved(int n) {
    return n / 2;
}

__attribute__((noinline)) int both(int side, int length) {
    return doubled(Square{side}) + halved(doubled(Strip{length}));
}

} // namespace shapes

int main() {
    int sum = 0;
    for (int n = 0; n < 4; n++)
        sum += shapes::both(n, n + 1);
    return sum & 0x3f;
}
