package score

// later is what the later heads of a case show.
type later struct {
	again   part // what is said again, of what had been said and still stood, by head
	wrongly part // resolved findings whose defect was still there, of resolved ones with a defect
	fixed   part // defects that were said, went, and were resolved, of those that were said and went
}

// follower follows what was said over the heads of a case.
type follower struct {
	later
	ids  map[string]int // of published findings: the defect, -1 for nothing known
	said map[int]bool   // defects that were said and still stand
	gone map[int]bool   // defects that were said and were repaired, while nobody has resolved them
}

// later follows the defects of a case over its heads. A defect that goes and comes
// back may be said once more. What is said again of nothing known is told by its id.
func (v *review) later() later {
	f := &follower{ids: map[string]int{}, said: map[int]bool{}, gone: map[int]bool{}}
	for h := range v.heads {
		for j := range v.defects {
			if f.said[j] && !v.defects[j].holds(h) {
				delete(f.said, j)
				f.gone[j] = true
				f.fixed.den++
			}
		}
		f.resolved(v, h)
		f.repeated(v, h)
		f.remember(v, h)
	}
	return f.later
}

// resolved judges what a head resolves.
func (f *follower) resolved(v *review, h int) {
	for _, id := range v.out.Heads[h].Resolved {
		j, known := f.ids[id]
		switch {
		case !known:
			continue
		case j < 0:
			delete(f.ids, id) // it may be said anew
			continue
		case v.defects[j].holds(h):
			f.wrongly.num++
		case f.gone[j]:
			f.fixed.num++
			delete(f.gone, j)
		}
		f.wrongly.den++
	}
}

// chance is what may be said again: a defect, or a finding of nothing known.
type chance struct {
	defect int
	id     string
}

// repeated counts what a head says again, each thing once.
func (f *follower) repeated(v *review, h int) {
	f.again.den += float64(len(f.said))
	for _, j := range f.ids {
		if j < 0 {
			f.again.den++
		}
	}
	again := map[chance]bool{}
	for _, i := range v.heads[h] {
		if j := v.first[h][i]; j >= 0 && f.said[j] {
			again[chance{defect: j}] = true
			continue
		}
		switch j, posted := f.ids[v.found[i].ID]; {
		case !posted:
		case j < 0:
			again[chance{defect: -1, id: v.found[i].ID}] = true
		case f.said[j]:
			again[chance{defect: j}] = true
		}
	}
	f.again.num += float64(len(again))
}

// remember notes what a head says.
func (f *follower) remember(v *review, h int) {
	for _, i := range v.heads[h] {
		j := v.first[h][i]
		if id := v.found[i].ID; id != "" {
			if old, posted := f.ids[id]; !posted || old < 0 {
				f.ids[id] = j
			}
		}
		if j >= 0 {
			f.said[j] = true
		}
	}
}
