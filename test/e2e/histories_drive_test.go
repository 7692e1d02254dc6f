package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// tip is a head of a history.
type tip struct {
	head     string
	on       string // its commit of the base branch
	code     code
	prologue int
	paths    []string // the files in its tree that a history may delete
}

// history is the life of one pull request, in an account of its own.
type history struct {
	seed   uint64
	manner manner
	rng    *rand.Rand
	w      *world
	owner  string
	repo   string
	number int
	last   int

	code     code // of the next head
	prologue int
	how      int
	goal     tip // where byReset goes
	at       tip
	base     tip
	past     []tip
	kind     step
	trail    []string
	broken   failure // the failure that stopped it

	shapes   map[int]bool // the planted shapes
	voices   map[int]voice
	titles   map[int][]string // all titles that the model gave a defect
	reviews  map[string]int   // head to visible reviews
	comments map[int][]int64  // comments by defect
	said     map[int]bool     // a comment was posted since the defect was last planted
}

const topic = "topic"

func newHistoryOf(w *world, seed uint64, m manner) *history {
	of, _, _ := strings.Cut(string(m), " ")
	h := &history{seed: seed, manner: m, w: w, rng: rand.New(rand.NewPCG(seed, uint64(slices.Index(manners, m)))), owner: fmt.Sprintf("h%d%s", seed, of), shapes: map[int]bool{}, voices: map[int]voice{}, titles: map[int][]string{}, reviews: map[string]int{},
		comments: map[int][]int64{}, said: map[int]bool{}}
	h.repo = h.owner + "/shop"
	h.begin()
	return h
}

// failure is a kind of failure of a history.
type failure string

const (
	saidAgain       failure = "said again"
	wronglyResolved failure = "wrongly resolved"
	swallowed       failure = "swallowed"
	failedRun       failure = "failed run"
	otherFailure    failure = "otherwise wrong"
)

// fail reports a failure of the history, and how to run it again.
func (h *history) fail(what failure, format string, args ...any) {
	h.w.Helper()
	if h.broken == "" {
		h.broken = what
	}
	h.w.Errorf("history %d, %s (%s#%d) after %q: %s: %s\nagain: ASSAY_STORAGES=all ASSAY_HISTORIES_SEED=%d ASSAY_HISTORIES_COUNT=1 go test ./test/e2e -run Histories", h.seed, h.manner, h.repo, h.number, h.trail, what,
		fmt.Sprintf(format, args...), h.seed)
}

// found creates the account and the repository.
func (h *history) found() error {
	ctx := h.w.ctx
	if _, err := h.w.host.CreateUser(ctx, simapi.UserSpec{Login: h.owner, Type: "Organization"}); err != nil {
		return err
	}
	files := h.onBase()
	r, err := h.w.host.CreateRepo(ctx, simapi.RepoSpec{Owner: h.owner, Name: "shop", Files: files, Collaborators: map[string]string{"dev": "maintain"}})
	if err != nil {
		return err
	}
	h.base = tip{head: r.HeadSHA, on: r.HeadSHA, paths: pathsOf(files)}
	return nil
}

// install installs the app while the service runs.
func (h *history) install() error {
	_, err := h.w.gh.Install(h.w.ctx, simapi.InstallSpec{AppID: h.w.app.ID, Account: h.owner})
	return err
}

// onBase returns the files of the base branch. They keep their paths, whatever the pull request does
// with them.
func (h *history) onBase() map[string]string {
	out := map[string]string{h.owner + "/README.md": "# Shop\n"}
	for _, f := range h.code.files {
		if f.onBase != "" {
			out[f.onBase] = joined(f.base(h.prologue))
		}
	}
	return out
}

// texts returns the files of the next head, and the places of their defects.
func (h *history) texts() (files map[string]string, places map[int]place) {
	files, places = map[string]string{}, map[int]place{}
	for _, f := range h.code.files {
		t := f.render(h.prologue)
		files[f.path] = joined(t.lines)
		for id, p := range t.places {
			places[id] = p
		}
	}
	return files, places
}

// open opens the pull request.
func (h *history) open() error {
	h.how, h.kind, h.trail = byCommit, step{name: "opened"}, []string{"opened"}
	h.at = h.base
	if err := h.teach(); err != nil {
		return err
	}
	files, _ := h.texts()
	c, err := h.w.host.Commit(h.w.ctx, h.repo, simapi.CommitSpec{Branch: topic, From: "main", Files: files, Message: "Begin", Author: "dev"})
	if err != nil {
		return err
	}
	pr, err := h.w.host.OpenPull(h.w.ctx, h.repo, simapi.PullSpec{Title: "Change the shop", Head: topic, Author: "dev"})
	h.number = pr.Number
	h.arrived(c.SHA, files)
	return err
}

// arrived records a new head whose review is due.
func (h *history) arrived(head string, files map[string]string) {
	paths := append(pathsOf(files), h.base.paths...)
	slices.Sort(paths)
	h.at = tip{head: head, on: h.at.on, code: h.code.clone(), prologue: h.prologue, paths: slices.Compact(paths)}
	h.past = append(h.past, h.at)
	h.reviews[head]++
}

// advance takes a step of a random kind that fits.
func (h *history) advance(kinds []step) error {
	for {
		k := kinds[h.rng.IntN(len(kinds))]
		before := h.code.clone()
		if h.how = k.how; !h.manner.fits(k) || !k.act(h) {
			h.code = before
			continue
		}
		h.kind, h.trail = k, append(h.trail, k.name)
		break
	}
	if err := h.teach(); err != nil {
		return err
	}
	return h.push()
}

// push pushes the next head to the host.
func (h *history) push() error {
	files, _ := h.texts()
	spec := simapi.CommitSpec{Branch: topic, Files: files, Author: "dev", Message: fmt.Sprintf("Step %d", len(h.trail))}
	parent := h.at
	switch h.how {
	case byCommand:
		return h.command("/assay review full")
	case byReset:
		_, err := h.w.host.Commit(h.w.ctx, h.repo, simapi.CommitSpec{Branch: topic, MoveTo: h.goal.head, Author: "dev"})
		h.at = h.goal
		return err
	case byRebase:
		c, err := h.w.host.Commit(h.w.ctx, h.repo, simapi.CommitSpec{Branch: "main", Files: h.onBase(), Author: "dev", Message: fmt.Sprintf("Base of step %d", len(h.trail))})
		if err != nil {
			return err
		}
		h.at.on = c.SHA
		fallthrough
	case bySquash:
		spec.From, parent = h.at.on, h.base
	}
	for _, p := range parent.paths {
		if _, kept := files[p]; !kept && p != h.owner+"/README.md" {
			spec.Delete = append(spec.Delete, p)
		}
	}
	c, err := h.w.host.Commit(h.w.ctx, h.repo, spec)
	if err == nil {
		h.arrived(c.SHA, files)
	}
	return err
}

// command requests a review of the head by a comment.
func (h *history) command(text string) error {
	_, err := h.w.host.Comment(h.w.ctx, h.repo, h.number, simapi.CommentSpec{Author: "dev", Body: text})
	h.reviews[h.at.head]++
	return err
}

// teach gives the model its findings in the next head. A defect whose lines are not shown to the model
// is not found.
func (h *history) teach() error {
	found, lines := []model.Finding{}, map[string]string{}
	files, places := h.texts()
	for _, f := range h.code.files {
		for _, b := range f.blocks {
			for _, p := range b.plants {
				at, stands := places[p.id]
				if !stands {
					continue
				}
				v := h.manner.next(h.voices[p.id], shapes[p.shape], h.rng, h.said[p.id])
				h.voices[p.id], h.titles[p.id] = v, append(h.titles[p.id], v.title(p, at))
				for _, t := range h.titles[p.id] {
					lines[t] = at.lines[0]
				}
				if !v.silent {
					found = append(found, v.finding(p, at, files[at.path]))
				}
			}
		}
	}
	same := model.Rule{Name: h.owner + " same", Match: model.Match{Stage: "same", UserContains: []string{" at " + h.owner + "/"}}, Reply: model.Reply{Same: &model.Same{Titles: slices.Collect(maps.Values(h.titles))}}}
	verify := model.Rule{Name: h.owner + " verify", Match: model.Match{Stage: "verify", UserContains: []string{"path: " + h.owner + "/"}}, Reply: model.Reply{Verify: &model.Verify{Stands: lines}}}
	for _, r := range []model.Rule{same, verify} {
		if err := h.w.model.SetRule(h.w.ctx, r); err != nil {
			return err
		}
	}
	return h.w.model.SetRule(h.w.ctx, model.Rule{Name: h.owner, Match: model.Match{Stage: "generate", UserContains: []string{"=== " + h.owner + "/"}}, Reply: model.Reply{Findings: found}})
}
