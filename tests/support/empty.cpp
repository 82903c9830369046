// The translation unit that the precompiled googletest header hangs on.
int main() {}
