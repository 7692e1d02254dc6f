package fixrun_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var bg = context.Background()

// broken is a line that a deterministic check reports, and mended the line that replaces it.
const (
	broken = "func broken( {"
	mended = "func broken() {}"
)

// host is a code host in memory with branches. The answer to one of its writes can be lost.
type host struct {
	*reviewtest.Host

	mu     sync.Mutex
	pulls  []codehost.NewPull
	files  map[string]string // by path and commit
	made   []codehost.NewCommit
	left   int    // writes before the one whose answer is lost; below 0: none
	refuse error  // of commits
	barred error  // of pull requests
	closed error  // of new branches
	before func() // runs before a commit is compared with the branch

	after    func(c codehost.NewCommit, id string) // runs after a commit
	messages map[string]codehost.CommitInfo        // by commit
	atDelete func()                                // runs before a deletion; nil for nothing
	deleted  []string                              // branches
	kept     error                                 // the answer to deletions
}

// wrote is called after a write was applied. It loses the answer to one write.
func (h *host) wrote() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left--; h.left == -1 {
		return &codehost.Error{Class: codehost.ClassAmbiguous}
	}
	return nil
}

func (h *host) Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	_, repo, err := h.Host.Repository(ctx, r)
	return h, repo, err
}

func (h *host) Reply(ctx context.Context, repo codehost.Repo, at codehost.Spot, body markdown.Text) (codehost.Comment, error) {
	c, err := h.Host.Reply(ctx, repo, at, body)
	if err == nil {
		err = h.wrote()
	}
	return c, err
}

func (h *host) Content(_ context.Context, _ codehost.Repo, path, sha string) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if text, there := h.files[path+" "+sha]; there {
		return []byte(text), nil
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound}
}

func (h *host) CreateBranch(_ context.Context, _ codehost.Repo, branch, commit string) error {
	if h.closed != nil {
		return h.closed
	}
	if err := h.move(branch, "", commit, codehost.ClassExists); err != nil {
		return err
	}
	return h.wrote()
}

// move moves a branch from one commit to another, or fails with a class.
func (h *host) move(branch, from, to string, class codehost.Class) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Tips[branch] != from {
		return &codehost.Error{Class: class}
	}
	h.Tips[branch] = to
	return nil
}

func (h *host) Commit(_ context.Context, _ codehost.Repo, c codehost.NewCommit) (codehost.MadeCommit, error) {
	if h.before != nil {
		h.before()
	}
	if err := c.Check("commit"); err != nil {
		return codehost.MadeCommit{}, err
	}
	if h.refuse != nil {
		return codehost.MadeCommit{}, h.refuse
	}
	id := storetest.SHA("commit " + c.Branch)
	if err := h.move(c.Branch, c.Head, id, codehost.ClassStale); err != nil {
		return codehost.MadeCommit{}, err
	}
	h.mu.Lock()
	h.made = append(h.made, c)
	h.messages[id] = codehost.CommitInfo{Message: c.Message, Parents: []string{c.Head}}
	for _, f := range c.Files {
		h.files[f.Path+" "+id] = string(f.Content)
	}
	if h.after != nil {
		h.after(c, id)
	}
	h.mu.Unlock()
	return codehost.MadeCommit{ID: id, Parent: c.Head}, h.wrote()
}

func (h *host) CommitAt(_ context.Context, _ codehost.Repo, commit string) (codehost.CommitInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c, there := h.messages[commit]; there {
		return c, nil
	}
	return codehost.CommitInfo{}, &codehost.Error{Class: codehost.ClassNotFound}
}

func (h *host) DeleteBranch(_ context.Context, _ codehost.Repo, branch, head string) error {
	if h.atDelete != nil {
		h.atDelete()
	}
	h.mu.Lock()
	if h.kept != nil {
		h.mu.Unlock()
		return h.kept
	}
	if h.Tips[branch] == "" {
		h.mu.Unlock()
		return &codehost.Error{Class: codehost.ClassNotFound}
	}
	if h.Tips[branch] != head {
		h.mu.Unlock()
		return &codehost.Error{Class: codehost.ClassStale}
	}
	delete(h.Tips, branch)
	h.deleted = append(h.deleted, branch)
	h.mu.Unlock()
	return h.wrote()
}

func (h *host) PullsFrom(_ context.Context, _ codehost.Repo, branch string) (out []codehost.PullRequest, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.pulls {
		if p.Branch == branch {
			out = append(out, codehost.PullRequest{URL: "https://host.example/pulls/" + branch})
		}
	}
	return out, nil
}

func (h *host) OpenPull(_ context.Context, _ codehost.Repo, p codehost.NewPull) (codehost.PullRequest, error) {
	if err := p.Check("open", 0); err != nil {
		return codehost.PullRequest{}, err
	}
	if h.barred != nil {
		return codehost.PullRequest{}, h.barred
	}
	h.mu.Lock()
	h.pulls = append(h.pulls, p)
	h.mu.Unlock()
	return codehost.PullRequest{URL: "https://host.example/pulls/" + p.Branch}, h.wrote()
}

// fixer answers with one edit for each finding, or refuses all.
type fixer struct {
	refuse fix.Reason
	runs   int
	during func() // runs while the model is asked
	err    error
}

const after = "package a\n\n" + mended + "\n"

func (f *fixer) Run(_ context.Context, in fix.Input) (out fix.Result, err error) {
	f.runs++
	if f.during != nil {
		f.during()
	}
	if f.err != nil {
		return out, f.err
	}
	for _, v := range in.Findings {
		o := fix.Outcome{FindingID: v.ID, RuleID: v.RuleID, Passed: f.refuse == "", Reason: f.refuse,
			Checks: []fix.Check{{Name: fix.CheckProposed, Outcome: fix.OutcomePassed}}}
		if o.Passed {
			o.Edits = []fix.Edit{{Path: "a.go", Start: 3, End: 3, Removed: broken, Replacement: mended}}
		}
		out.Findings = append(out.Findings, o)
	}
	if f.refuse == "" {
		sum := sha256.Sum256([]byte(after))
		out.Files = []fix.File{{Path: "a.go", After: hex.EncodeToString(sum[:])}}
	}
	return out, nil
}

func (f *fixer) Contents(_ context.Context, _ change.Source, r fix.Result) ([]fix.File, error) {
	return []fix.File{{Path: "a.go", Content: []byte(after), After: r.Files[0].After}}, nil
}

// world is a fixture of reviews together with fix runs. Pull request 1 has one review with one open finding.
type world struct {
	*reviewtest.Fixture
	Fixes      *fixrun.Service
	Host       *host
	Fixer      *fixer
	Repository store.Repository
	Review     store.Run
}

func each(t *testing.T, fixes domain.FixDelivery, body func(t *testing.T, w *world)) {
	t.Helper()
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		w := &world{Fixture: f, Fixer: &fixer{}, Host: &host{Host: f.Host, left: -1, files: map[string]string{},
			messages: map[string]codehost.CommitInfo{}}}
		f.Host.Tips = map[string]string{"topic": storetest.SHA("head"), "main": storetest.SHA("base")}
		f.Host.Roles = map[string]string{"mona": "write", "chief": "maintain"}
		f.Host.SetRepository(reviewtest.Repository())
		mark, err := marker.New(secret.KeyMAC{Sum: []byte("a key of tests, 16 bytes or more")})
		testkit.OK(t, err)
		w.Fixes = fixrun.New(fixrun.Config{Store: f.Store, Audit: featuretest.New(t, f.Store).Audit, Hosts: w.Host,
			Models: &reviewtest.CallerModels{Models: f.Models}, Snapshots: f.Snapshots, Marker: mark, Scan: func(s string) string { return s },
			Look: 20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
			Fixer: func(ask.Recorder, ask.StageStore, func(ask.Progress)) fixrun.Fixer { return w.Fixer }})
		f.Services.More, f.Services.Intake.Fixes = w.Fixes.Kinds(), w.Fixes
		f.Settings.BackoffFirst, f.Settings.BackoffMax = 20*time.Millisecond, 20*time.Millisecond
		f.Snapshots.Lines[storetest.SHA("head")] = broken
		w.Policy(fmt.Sprintf(`{"fixes":%q}`, fixes))
		f.Start()
		f.Deliver(f.Event("opened", "head"))
		w.Review = f.Runs()[0]
		w.Repository, err = f.Store.Repository(bg, f.World.Tenant, w.Review.Repository)
		testkit.OK(t, err)
		body(t, w)
	})
}

// request requests fixes for all findings.
func (w *world) request(d domain.FixDelivery) (store.FixRun, error) {
	w.T.Helper()
	in := fixrun.ReviewFixRequest{Delivery: d}
	for _, k := range w.Known() {
		in.FindingIDs = append(in.FindingIDs, k.ID)
	}
	return w.Fixes.Create(bg, w.World.Tenant, w.Repository, w.Review, in)
}

// do requests fixes and waits for the end.
func (w *world) do(d domain.FixDelivery) store.FixRun {
	w.T.Helper()
	run, err := w.request(d)
	testkit.OK(w.T, err)
	return w.wait(run.ID)
}

// wait waits until a fix run has ended.
func (w *world) wait(id string) (run store.FixRun) {
	w.T.Helper()
	w.Until("the fix run ends", func() bool {
		var err error
		run, err = w.Store.FixRunForWork(bg, id)
		testkit.OK(w.T, err)
		return run.State.Terminal()
	})
	w.Settle() // the answer, and the deletion of a branch
	run, err := w.Store.FixRunForWork(bg, id)
	testkit.OK(w.T, err)
	return run
}

// comments lists the comments of fix runs that people see.
func (w *world) comments() (out []string) {
	at := codehost.Spot{Number: 1, Thread: w.Known()[0].CommentID}
	for _, s := range w.Host.Said(at) {
		out = append(out, s.Body)
	}
	return out
}

func contains(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}
