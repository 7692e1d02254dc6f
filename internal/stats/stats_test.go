package stats_test

import (
	"math"
	"testing"

	"github.com/assay-dev/assay/internal/stats"
)

// The limits agree with published ones (Newcombe 1998, table I, method 3), and stay between 0 and 1.
func TestWilson(t *testing.T) {
	for _, c := range []struct{ hits, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {20, 20, 0.8389, 1},
	} {
		low, high := stats.Wilson(c.hits, c.n)
		if math.Abs(low-c.low) > 0.0001 || math.Abs(high-c.high) > 0.0001 || low < 0 || high > 1 {
			t.Errorf("%v of %v: %.4f to %.4f, want %.4f to %.4f", c.hits, c.n, low, high, c.low, c.high)
		}
	}
}
