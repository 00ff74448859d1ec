/* A simulator in C that says when it cannot tell. Try
 *   cc -O2 -o bowl examples/simulators/bowl.c
 *   reckless solve --command "./bowl" --x 1:4 --x -7:-2 --y 2:9 --workers 2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of the list that follows `key`; returns how many there are. */
static int numbers(const char *line, const char *key, double *out, int most) {
  const char *at = strstr(line, key);
  int n = 0;
  if (at == NULL) return 0;
  at += strlen(key);
  while (n < most) {
    char *end;
    out[n] = strtod(at, &end);
    if (end == at) break;
    n++;
    at = *end == ',' ? end + 1 : end;
  }
  return n;
}

int main(void) {
  static char line[65536];
  while (fgets(line, sizeof line, stdin) != NULL) {
    double id = 0.0, x[2], y[1];
    numbers(line, "\"id\":", &id, 1);
    if (numbers(line, "\"x\":[", x, 2) < 2 || numbers(line, "\"y\":[", y, 1) < 1) {
      printf("{\"id\":%.0f,\"error\":\"two numbers x and one number y are needed\"}\n", id);
    } else {
      double a = x[0] - 2.0, b = x[1] + 3.0, c = y[0] - 5.0;
      printf("{\"id\":%.0f,\"value\":%.17g}\n", id, a * a + b * b + 0.5 * a * c - c * c);
    }
    fflush(stdout); /* or the answer stays in the buffer, and both sides wait */
  }
  return 0;
}
