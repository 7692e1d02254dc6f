package edits

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// head is a commit of a pull request, with its true defects.
type head struct {
	step    string // the edit that made it
	again   bool   // no commit: a person asks for a review of everything
	diff    []byte
	before  map[string]string // files at the merge base
	after   map[string]string
	places  map[int]place
	voices  map[int]voice
	defects map[int]defect // all planted so far
}

// editor makes the heads of one pull request at random.
type editor struct {
	seed   uint64
	manner manner
	rng    *rand.Rand
	others []file // files of this repository that code is taken from

	base    tree
	now     tree
	past    []tree
	last    int // the last unique number
	defects map[int]defect
	voices  map[int]voice
	heads   []head

	t   *testing.T
	dir string // a git repository
}

// defectsAtFirst is the number of defects in the first head.
const defectsAtFirst = 3

// newEditor makes the first head: two files of this repository in which blocks, or all lines, are new.
func newEditor(t *testing.T, seed uint64, m manner) *editor {
	t.Helper()
	e := &editor{seed: seed, manner: m, rng: rand.New(rand.NewPCG(seed, uint64(slices.Index(manners, m)))), others: ownFiles(t), defects: map[int]defect{}, voices: map[int]voice{}, t: t, dir: t.TempDir()}
	testkit.Git(t, e.dir, "init", "-q")
	for len(e.now) < 2 {
		f := e.others[e.rng.IntN(len(e.others))]
		if slices.ContainsFunc(e.now, func(o file) bool { return o.path == f.path }) {
			continue
		}
		f.lines = slices.Clone(f.lines)
		e.now = append(e.now, f)
		if e.rng.IntN(3) > 0 {
			e.base = append(e.base, e.without(f))
		}
	}
	for range 40 {
		if len(e.defects) == defectsAtFirst {
			break
		}
		e.plant()
	}
	e.commit("opened", false)
	return e
}

// without returns a file before some of its blocks were written.
func (e *editor) without(f file) file {
	f.lines = slices.Clone(f.lines)
	for range 1 + e.rng.IntN(3) {
		if of := f.functions(); len(of) > 1 {
			s := of[e.rng.IntN(len(of))]
			f.lines = slices.Delete(f.lines, s.from, s.to)
		}
	}
	return f
}

// isNew reports whether a line is not in the file at the merge base, so the pull request adds it.
func (e *editor) isNew(f *file, at int) bool {
	i := slices.IndexFunc(e.base, func(b file) bool { return b.path == f.path })
	return i < 0 || !slices.ContainsFunc(e.base[i].lines, func(l line) bool { return strings.TrimSpace(l.text) == strings.TrimSpace(f.lines[at].text) })
}

// plant makes a new line without a defect a defect.
func (e *editor) plant() bool {
	f := e.file()
	at := e.rng.IntN(len(f.lines))
	return f.lines[at].defect == 0 && f.lines[at].telling() && e.isNew(f, at) && e.mark(f, at, at+1)
}

// mark makes lines a new defect, of a kind with different words. The first review of a file has no kind
// twice, because a review shows repeats of one rule in one function as one.
func (e *editor) mark(f *file, from, to int) bool {
	d := defect{kind: e.rng.IntN(len(kinds))}
	of := words(f.lines[from].text)
	if len(of) == 0 {
		return false
	}
	d.v = of[e.rng.IntN(len(of))]
	for id, o := range e.defects {
		p := tree{*f}.places()
		if _, here := p[id]; o == d || here && o.kind == d.kind && len(e.heads) == 0 {
			return false
		}
	}
	e.defects[e.next()] = d
	for i := from; i < to; i++ {
		f.lines[i].defect = e.last
	}
	return true
}

func (e *editor) next() int { e.last++; return e.last }

func (e *editor) file() *file { return &e.now[e.rng.IntN(len(e.now))] }

// push makes one more head by a random edit.
func (e *editor) push() {
	e.t.Helper()
	for range 1000 {
		before, base, known := e.now.clone(), e.base.clone(), maps.Clone(e.defects)
		a := edits[e.rng.IntN(len(edits))]
		if a.do(e) && e.now.valid() && (a.again || !same(e.now, before) || !same(e.base, base)) {
			e.commit(a.name, a.again)
			return
		}
		e.now, e.base, e.defects = before, base, known
	}
	e.t.Fatal("no edit fits")
}

func same(a, b tree) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// commit records the head, and how the model reports its defects in the review.
func (e *editor) commit(step string, again bool) {
	e.t.Helper()
	h := head{step: step, again: again, before: e.base.texts(), after: e.now.texts(), places: e.now.places(), voices: map[int]voice{}, defects: maps.Clone(e.defects)}
	for _, id := range slices.Sorted(maps.Keys(e.defects)) { // in this order, so that a seed makes the same voices each time
		stood := false
		if len(e.heads) > 0 {
			_, stood = e.heads[len(e.heads)-1].places[id]
		}
		if _, stands := h.places[id]; stands {
			e.voices[id] = e.manner.next(e.voices[id], e.rng, stood)
			h.voices[id] = e.voices[id]
		}
	}
	h.diff = gitDiff(e.t, e.dir, h.before, h.after)
	e.heads, e.past = append(e.heads, h), append(e.past, e.now.clone())
}
