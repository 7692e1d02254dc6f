package e2e

import (
	"fmt"
	"slices"
)

// These are the ways to the next head of a history.
const (
	byCommit  = iota // on top of the branch
	bySquash         // one commit on the base, forced
	byRebase         // the same on a base that moved, forced
	byReset          // the branch goes back to an earlier head; then a command asks for a review
	byCommand        // the head stays; a command asks for a review of everything
)

// step is a kind of event in the life of a pull request.
type step struct {
	name string
	how  int
	// speech is true if the step only changes the model's voice.
	speech bool
	// act changes the code or the model's words. It returns false if there is nothing to change.
	act func(h *history) bool
}

func steps() []step {
	edit := func(change func(h *history, f *source, b *block, p *plant) bool) func(*history) bool {
		return func(h *history) bool {
			f, b, p := h.pick(func(p *plant) bool { return !p.gone })
			return p != nil && change(h, f, b, p)
		}
	}
	speak := func(change func(v *voice, s shape) bool) func(*history) bool {
		return func(h *history) bool {
			_, b, p := h.pick(func(p *plant) bool { return !p.gone })
			if p == nil {
				return false
			}
			v := h.voices[p.id]
			if !change(&v, shapes[p.shape]) || v == h.voices[p.id] {
				return false
			}
			h.voices[p.id] = v
			if h.how = byCommand; h.rng.IntN(2) == 0 {
				h.how = byCommit
				b.extra++ // the function is shown to the model again
			}
			return true
		}
	}
	repair := func(from bool, change func(*plant)) func(*history) bool {
		return func(h *history) bool {
			_, _, p := h.pick(func(p *plant) bool { return p.gone == from })
			if p == nil {
				return false
			}
			p.gone = !from
			change(p)
			return true
		}
	}
	same := func(*plant) {}
	return []step{
		{"line edited", byCommit, false, edit(func(_ *history, _ *source, _ *block, p *plant) bool { p.k++; return true })},
		{"variable renamed", byCommit, false, edit(func(h *history, _ *source, _ *block, p *plant) bool { p.v = h.name(); return true })},
		{"line broken in two", byCommit, false, edit(func(_ *history, _ *source, _ *block, p *plant) bool { p.broken = !p.broken; return p.broken })},
		{"reformatted", byCommit, false, edit(func(_ *history, f *source, _ *block, _ *plant) bool { f.tight = !f.tight; return true })},
		{"other words", byCommit, true, speak(func(v *voice, _ shape) bool { v.words = (v.words + 1) % 3; return true })},
		{"neighbouring key", byCommit, true, speak(func(v *voice, s shape) bool { v.key = s.neighbour; return true })},
		{"key of another family", byCommit, true, speak(func(v *voice, s shape) bool { v.key = s.family; return s.family != "" })},
		{"one line wider", byCommit, true, speak(func(v *voice, _ shape) bool { v.wide = !v.wide; return true })},
		{"squashed", bySquash, false, func(*history) bool { return true }},
		{"rebased", byRebase, false, func(h *history) bool { h.prologue++; return true }},
		{"another file changed", byCommit, false, (*history).elsewhere},
		{"another defect added", byCommit, false, (*history).another},
		{"fixed", byCommit, false, repair(false, same)},
		{"brought back", byCommit, false, repair(true, same)},
		{"brought back on an edited line", byCommit, false, repair(true, func(p *plant) { p.k++ })},
		{"set back to an earlier head", byReset, false, (*history).back},
		{"wrapped in a condition", byCommit, false, edit(func(_ *history, _ *source, _ *block, p *plant) bool { p.wrapped = !p.wrapped; return true })},
		{"two defects swapped", byCommit, false, (*history).swap},
		{"functions reordered", byCommit, false, (*history).reorder},
		{"function renamed", byCommit, false, edit(func(h *history, _ *source, b *block, _ *plant) bool { b.name = h.function(); return true })},
		{"file renamed", byCommit, false, edit(func(h *history, f *source, _ *block, _ *plant) bool { f.path = h.path(f.lang); return true })},
		{"moved into a helper", byCommit, false, (*history).helper},
		{"moved to another file", byCommit, false, (*history).elsewhereWith},
		{"another category, other words", byCommit, true, speak(func(v *voice, s shape) bool { v.key, v.words = s.foreign, (v.words+1)%3; return true })},
	}
}

// pick chooses a fitting defect, nil if no defect fits.
func (h *history) pick(fits func(*plant) bool) (*source, *block, *plant) {
	type found struct {
		f *source
		b *block
		p *plant
	}
	var all []found
	for i := range h.code.files {
		f := &h.code.files[i]
		for j := range f.blocks {
			b := &f.blocks[j]
			for k := range b.plants {
				if fits(&b.plants[k]) {
					all = append(all, found{f, b, &b.plants[k]})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, nil, nil
	}
	c := all[h.rng.IntN(len(all))]
	return c.f, c.b, c.p
}

// next returns a number that is unique in the history.
func (h *history) next() int { h.last++; return h.last }

func (h *history) name() string {
	return []string{"mean", "entry", "data", "order", "row"}[h.rng.IntN(5)] + fmt.Sprint(h.next())
}

func (h *history) function() string {
	return []string{"Average", "Latest", "Load", "Settle", "Find"}[h.rng.IntN(5)] + fmt.Sprint(h.next())
}

func (h *history) path(lang string) string {
	return fmt.Sprintf("%s/%s%d.%s", h.owner, []string{"cart", "price", "stock"}[h.rng.IntN(3)], h.next(), lang)
}

// plant adds a new defect to a function, of a shape that the history does not have yet. It returns
// false if the history has all shapes.
func (h *history) plant(b *block, lang string) bool {
	var fit []int
	for i, s := range shapes {
		if s.lang == lang && !h.shapes[i] {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return false
	}
	p := plant{id: h.next(), shape: fit[h.rng.IntN(len(fit))], v: h.name(), k: 1 + h.rng.IntN(3), apart: h.rng.IntN(4)}
	h.shapes[p.shape] = true
	b.plants = append(b.plants, p)
	return true
}

func (h *history) planting(lang string, defects int) block {
	b := block{name: h.function(), number: h.next()}
	for range defects {
		h.plant(&b, lang)
	}
	return b
}

// begin creates the code of the first head: two files with two functions each. One of the functions has
// two defects.
func (h *history) begin() {
	for i := range 2 {
		lang := []string{"go", "ts"}[h.rng.IntN(2)]
		f := source{path: h.path(lang), lang: lang}
		if h.rng.IntN(2) == 0 {
			f.onBase = f.path
		}
		f.blocks = []block{h.planting(lang, 1+i), h.planting(lang, 0)}
		h.code.files = append(h.code.files, f)
	}
}

// elsewhere changes the file that does not have the chosen defect.
func (h *history) elsewhere() bool {
	f := &h.code.files[h.rng.IntN(2)]
	f.blocks[len(f.blocks)-1].extra++
	return true
}

func (h *history) another() bool {
	f := &h.code.files[h.rng.IntN(2)]
	if h.standing() >= 5 {
		return false
	}
	return h.plant(&f.blocks[h.rng.IntN(len(f.blocks))], f.lang)
}

// standing returns the number of existing defects.
func (h *history) standing() (n int) {
	for _, f := range h.code.files {
		n += len(f.render(h.prologue).places)
	}
	return n
}

func (h *history) swap() bool {
	f, b, p := h.pick(func(p *plant) bool { return !p.gone })
	if p == nil || f == nil || len(b.plants) < 2 {
		return false
	}
	i := h.rng.IntN(len(b.plants) - 1)
	b.plants[i], b.plants[i+1] = b.plants[i+1], b.plants[i]
	return true
}

func (h *history) reorder() bool {
	f, _, p := h.pick(func(p *plant) bool { return !p.gone })
	if p == nil {
		return false
	}
	f.blocks = append(slices.Clone(f.blocks[1:]), f.blocks[0])
	return true
}

// helper moves a defect into a new function of its file.
func (h *history) helper() bool {
	f, b, p := h.pick(func(p *plant) bool { return !p.gone })
	if p == nil {
		return false
	}
	moved := *p
	b.plants = slices.DeleteFunc(slices.Clone(b.plants), func(p plant) bool { return p.id == moved.id })
	f.blocks = append(f.blocks, block{name: h.function(), number: h.next(), plants: []plant{moved}})
	return true
}

// elsewhereWith moves a function with its defects to the other file.
func (h *history) elsewhereWith() bool {
	f, b, p := h.pick(func(p *plant) bool { return !p.gone })
	other := &h.code.files[0]
	if f == other {
		other = &h.code.files[1]
	}
	if p == nil || f.lang != other.lang || len(f.blocks) < 2 {
		return false
	}
	moved := *b
	f.blocks = slices.DeleteFunc(slices.Clone(f.blocks), func(b block) bool { return b.number == moved.number })
	other.blocks = append(slices.Clone(other.blocks), moved)
	return true
}

// back restores the code of an earlier head.
func (h *history) back() bool {
	if len(h.past) < 2 {
		return false
	}
	to := h.past[h.rng.IntN(len(h.past)-1)]
	if to.head == h.at.head {
		return false
	}
	h.code, h.prologue, h.goal = to.code.clone(), to.prologue, to
	return true
}
