package publish_test

import (
	"os"
	"testing"
)

// onlyNightly skips one of the largest explorations, which make nightly runs. make test explores one world
// without a lagging list and one with it. It does not prove for the other first worlds that an end can be
// reached.
func onlyNightly(t *testing.T) {
	t.Helper()
	if os.Getenv("ASSAY_WORLDS") != "all" {
		t.Skip("make nightly explores it (ASSAY_WORLDS=all)")
	}
}

// explore visits every world that can be reached from the first one. next emits the worlds that one step
// leads to. It returns the number of worlds, the largest number of visible reviews in a world, and the number
// of worlds from which no end can be reached.
func explore[W comparable](from W, next func(w W, emit func(W)), visible func(W) int, end func(W) bool) (states, most, dead int) {
	index := map[W]int32{from: 0}
	order := []W{from}
	before := [][]int32{nil} // predecessors
	for at := 0; at < len(order); at++ {
		most = max(most, visible(order[at]))
		next(order[at], func(n W) {
			to, known := index[n]
			if !known {
				to = int32(len(order))
				index[n] = to
				order, before = append(order, n), append(before, nil)
			}
			before[to] = append(before[to], int32(at))
		})
	}
	reach := make([]bool, len(order))
	var open []int32
	for i, w := range order {
		if end(w) {
			reach[i], open = true, append(open, int32(i))
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, b := range before[at] {
			if !reach[b] {
				reach[b], open = true, append(open, b)
			}
		}
	}
	for _, r := range reach {
		if !r {
			dead++
		}
	}
	return len(order), most, dead
}

// search visits worlds that can be reached from the first one until it finds one of a kind. states is the
// number of visited worlds.
func search[W comparable](from W, next func(w W, emit func(W)), kind func(W) bool) (states int, found bool) {
	seen := map[W]bool{from: true}
	order := []W{from}
	for at := 0; at < len(order); at++ {
		if kind(order[at]) {
			return len(order), true
		}
		next(order[at], func(n W) {
			if !seen[n] {
				seen[n], order = true, append(order, n)
			}
		})
	}
	return len(order), false
}
