package score

// laterHeads holds the measures over the later heads of a case.
type laterHeads struct {
	again   part // repeated findings among those that were reported and still stand, per head
	wrongly part // resolved findings whose defect remained, among all resolved ones with a defect
	fixed   part // resolved defects among those that were reported and repaired
}

// follower follows the findings over the heads of a case.
type follower struct {
	laterHeads
	ids  map[string]int // defect of a published finding, by id; -1 without a known defect
	said map[int]bool   // reported defects that still stand
	gone map[int]bool   // reported and repaired defects that are not resolved yet
}

// followHeads follows the defects of a case over its heads. A defect that goes and returns may be reported once
// more. Repeated findings without a known defect are recognised by their id.
func (v *review) followHeads() laterHeads {
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
	return f.laterHeads
}

// resolved judges the findings that a head resolves.
func (f *follower) resolved(v *review, h int) {
	for _, id := range v.out.Heads[h].Resolved {
		j, known := f.ids[id]
		switch {
		case !known:
			continue
		case j < 0:
			delete(f.ids, id) // it may be reported again
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

// repetition is a possible repetition: a defect, or a finding without a known defect.
type repetition struct {
	defect int
	id     string
}

// repeated counts the repetitions of a head, each once.
func (f *follower) repeated(v *review, h int) {
	f.again.den += float64(len(f.said))
	for _, j := range f.ids {
		if j < 0 {
			f.again.den++
		}
	}
	again := map[repetition]bool{}
	for _, i := range v.heads[h] {
		if j := v.first[h][i]; j >= 0 && f.said[j] {
			again[repetition{defect: j}] = true
			continue
		}
		switch j, posted := f.ids[v.found[i].ID]; {
		case !posted:
		case j < 0:
			again[repetition{defect: -1, id: v.found[i].ID}] = true
		case f.said[j]:
			again[repetition{defect: j}] = true
		}
	}
	f.again.num += float64(len(again))
}

// remember records the findings of a head.
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
