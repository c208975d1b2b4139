cc -O1 -fPIC -shared -fvisibility=hidden -I"/include" -DNANOSECONDS="\" wait.c -o wait.so
