package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// pick chooses n mutants that do not overlap, in the order of the source. It takes the
// kinds in turn, and of a kind a mutant of the file that has the fewest so far. Eight of
// twenty change SQL if the room has that many.
func pick(all []mutant, seed uint64, n int) []mutant {
	left := slices.Clone(all)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	kinds := []string{kindNegate, kindCall, kindBoundary, kindError, kindLogic, kindAssignment, kindEquality, kindFalse, kindArithmetic}
	perFile := map[string]int{}
	var out []mutant
	for turn := 0; len(out) < n && len(left) > 0; {
		want := kindSQL
		if inSQL := count(left, kindSQL); inSQL == 0 || len(out)%5 != 0 && len(out)%5 != 2 && inSQL < len(left) {
			want = kinds[turn%len(kinds)]
			turn++
		}
		best := -1
		for i, m := range left {
			if m.Kind == want && (best < 0 || perFile[m.File] < perFile[left[best].File]) {
				best = i
			}
		}
		if best < 0 {
			continue // the room has no more of this kind
		}
		m := left[best]
		out = append(out, m)
		perFile[m.File]++
		left = slices.DeleteFunc(left, func(x mutant) bool { return x.File == m.File && x.from < m.to && m.from < x.to })
	}
	slices.SortFunc(out, func(a, b mutant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return out
}

func count(mutants []mutant, kind string) (n int) {
	for _, m := range mutants {
		if m.Kind == kind {
			n++
		}
	}
	return n
}
