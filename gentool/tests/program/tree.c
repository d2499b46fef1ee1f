struct node { int key; struct node *left, *right; };

static struct node pool[64];
static int used;

static struct node *insert(struct node *tree, int key) {
    if (!tree) {
        struct node *fresh = &pool[used++];
        fresh->key = key;
        fresh->left = fresh->right = 0;
        return fresh;
    }
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else if (key > tree->key)
        tree->right = insert(tree->right, key);
    return tree;
}

static int height(const struct node *tree) {
    int left, right;
    if (!tree)
        return 0;
    left = height(tree->left);
    right = height(tree->right);
    return 1 + (left > right ? left : right);
}

static int sum(const struct node *tree) {
    return tree ? tree->key + sum(tree->left) + sum(tree->right) : 0;
}

static int gcd(int a, int b) {
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}

int main(void) {
    struct node *tree = 0;
    int key = 17, i;
    for (i = 0; i < 40; i++) {
        key = (key * 31 + 7) % 101;
        tree = insert(tree, key);
    }
    i = 0;
    do {
        if (i % 3 == 0 && i % 5 == 0)
            key += 1;
        else if (i % 3 == 0 || i % 7 == 0)
            key += gcd(i, 84);
        i += 1;
    } while (i < 30 && key < 100000);
    return (height(tree) + sum(tree) + key) & 0x3f;
}
