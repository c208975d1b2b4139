/* kernel_reference.c - functions of the host that results of kernels are compared with. */
#define EXPORT __attribute__((visibility("default")))

EXPORT void scale_on_host(int *to, const int *from, int factor, int n);
void scale_on_host(int *to, const int *from, int factor, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = factor * from[i];
}
