// Package stats computes confidence intervals of figures that people compare.
package stats

import "math"

// z95 is the normal quantile for a two-sided 95 % interval.
const z95 = 1.959963984540054

// Wilson returns the 95 % score interval of a share of n independent cases (Wilson 1927). n must be positive, and hits
// between 0 and n.
func Wilson(hits, n float64) (low, high float64) {
	p, z2 := hits/n, z95*z95
	middle := (p + z2/(2*n)) / (1 + z2/n)
	half := z95 / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return max(middle-half, 0), min(middle+half, 1)
}
