package reviewtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
)

// Host is a code host in memory, for tests. Its fields may be set and read while no work is under way; its
// methods may be called at any time. Methods of a code host that the orchestrator does not use panic.
type Host struct {
	codehost.Host
	codehost.Committer

	Pulls       map[int]codehost.PullRequest
	Roles       map[string]string        // login to role
	RolesByID   map[domain.HostID]string // id of an account to its role; it wins over Roles
	Asked       []string                 // logins whose role was requested, in order
	Comments    []codehost.Comment
	Open        []codehost.Thread // threads that Threads lists
	Read        int               // calls of Threads
	BranchReads int               // reads of the tip of a branch
	Compares    int               // comparisons of commits
	Writes      []string          // every write, in order
	late        []func()          // edits that are applied later
	// Install and Repositories are the host's answer about the installation. Absent means that it does not
	// exist.
	Install      codehost.Installation
	Repositories []codehost.RepoInfo
	Absent       bool
	Unrelated    bool              // commits have no merge base
	Tips         map[string]string // newest commits of branches; for other branches it is not found
	MergeBases   map[string]string // by base and head with a space between; the default is the base
	Lag          bool              // lists of check runs and replies do not show new ones
	Reached      bool              // credentials remain for disconnected repositories
	Labelled     Labelled
	Stale        []codehost.PullRequest // the list of open pull requests; nil: the current one
	Resolves     bool                   // threads can be closed
	Feedback     Feedback
	Builds       Builds
	TellsWho     bool                              // the host says who closed a thread
	Closed       map[domain.HostID]codehost.Sender // who closed the thread of a comment
	// Written returns the answer of Comment for a comment in an event; nil: the comment itself.
	Written func(told codehost.EventComment) (codehost.EventComment, error)

	OneLine     bool // the host shows the outcome as a commit status
	LineThreads bool // comments of a review on one line are one thread

	mu      sync.Mutex
	reviews []*codehost.Review
	of      map[domain.HostID]int // review to pull request
	checks  []codehost.Check      // an id is an index, from 1
	said    []Said
	sent    []string         // bodies of replies, also of those that were not applied
	errors  map[string]error // by operation, until it is removed
	next    int64
	busy    bool

	written      map[domain.HostID]codehost.EventComment // comments of events, by id
	repositories map[domain.HostID]codehost.RepoInfo     // as in the newest events
	heard        time.Time                               // time of the newest event of a pull request
	resolved     int
	pinned       bool // the repositories are as a test set them
}

// NewHost makes a host without pull requests.
func NewHost() *Host {
	return &Host{Pulls: map[int]codehost.PullRequest{}, of: map[domain.HostID]int{}, Roles: map[string]string{},
		errors: map[string]error{}, next: 1000,
		repositories: map[domain.HostID]codehost.RepoInfo{}, written: map[domain.HostID]codehost.EventComment{}}
}

// Set changes the pull request that the host shows.
func (h *Host) Set(pr codehost.PullRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Pulls[pr.Number] = pr
}

// Leave removes the installation. Unlike the field, it may be called at any time.
func (h *Host) Leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Absent = true
}

// Fail makes an operation fail (installation, pull, list, compare, permission, labels, known labels, add
// labels, threads, create, review, submit, check, resolve, reply, lost reply, replies, comment, reactions, resolve
// repository) until it is called with nil. A submit, a new check run or a reply that fails with class
// ambiguous is still applied.
func (h *Host) Fail(op string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errors[op] = err
}

func (h *Host) failed(op string) error { return h.errors[op] }

// Visible returns the bodies of the visible reviews.
func (h *Host) Visible() (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		if r.State == codehost.ReviewSubmitted {
			out = append(out, r.Body)
		}
	}
	return out
}

// Wrote counts the writes that begin with op.
func (h *Host) Wrote(op string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.Writes {
		if strings.HasPrefix(w, op) {
			n++
		}
	}
	return n
}

// Check returns the check run of a run.
func (h *Host) Check(run string) codehost.Check {
	h.mu.Lock()
	defer h.mu.Unlock()
	var last codehost.Check
	for _, c := range h.checks {
		if c.ExternalID == run {
			last = c
		}
	}
	return last
}

// Former implements review.Hosts; see [Host.Reached].
func (h *Host) Former(context.Context, store.Repository) (codehost.Host, codehost.Repo, error) {
	if h.Reached {
		return h, codehost.Repo{Owner: "octo", Name: "repo"}, nil
	}
	return nil, codehost.Repo{}, &codehost.Error{Class: codehost.ClassForbidden, Op: "open connection", Message: "it is gone"}
}

// Repository implements review.Hosts.
func (h *Host) Repository(_ context.Context, r store.Repository) (codehost.Host, codehost.Repo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, known := h.repositories[r.ExternalID]; !known {
		h.repositories[r.ExternalID] = codehost.RepoInfo{ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name,
			DefaultBranch: r.DefaultBranch, Private: r.Private, Internal: r.Internal}
	}
	return h, codehost.Repo{ExternalID: r.ExternalID, Owner: "octo", Name: "repo"}, nil
}

// Installation implements review.Hosts.
func (h *Host) Installation(context.Context, string, domain.HostID) (codehost.Installation, []codehost.RepoInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("installation"); err != nil {
		return codehost.Installation{}, nil, err
	}
	if h.Absent {
		return codehost.Installation{}, nil, &codehost.Error{Class: codehost.ClassNotFound}
	}
	if h.Install.Suspended {
		return h.Install, nil, nil
	}
	return h.Install, h.Repositories, nil
}

// Capabilities implements [codehost.Host].
func (h *Host) Capabilities() codehost.Capabilities {
	c := codehost.CapabilitiesOf(codehost.GitHub)
	c.ResolveThreads, c.LineThreads = h.Resolves, h.LineThreads
	c.TellsResolver, c.Reactions = h.TellsWho, h.Feedback.Reacts
	if h.OneLine {
		c.Outcome = codehost.OutcomeStatus
	}
	return c
}

// PullRequest implements [codehost.Host].
func (h *Host) PullRequest(_ context.Context, _ codehost.Repo, n int) (codehost.PullRequest, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pr, found := h.Pulls[n]
	if err := h.failed("pull"); err != nil {
		return pr, err
	}
	if !found {
		return pr, &codehost.Error{Class: codehost.ClassNotFound, Op: "pull request"}
	}
	return pr, nil
}

// OpenPullRequests implements [codehost.Host].
func (h *Host) OpenPullRequests(context.Context, codehost.Repo) (out []codehost.PullRequest, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("list"); err != nil {
		return nil, err
	}
	if h.Stale != nil {
		return h.Stale, nil
	}
	for _, pr := range h.Pulls {
		if pr.Open {
			out = append(out, pr)
		}
	}
	return out, nil
}

// MergedPullRequests implements [codehost.Host].
func (h *Host) MergedPullRequests(_ context.Context, _ codehost.Repo, most int) ([]codehost.PullRequest, error) {
	if err := codehost.CheckMerged("merged pull requests", most); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	m := codehost.MergedPicker{Most: most}
	for _, pr := range slices.SortedFunc(maps.Values(h.Pulls), func(a,
		b codehost.PullRequest) int {
		return b.UpdatedAt.Compare(a.UpdatedAt)
	}) {
		if !pr.Open && !m.Add(pr) {
			break
		}
	}
	return m.List(), h.failed("merged")
}

// Compare implements [codehost.Host].
func (h *Host) Compare(_ context.Context, _ codehost.Repo, base, head string) (codehost.Comparison, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Compares++
	if h.Unrelated {
		return codehost.Comparison{}, h.failed("compare")
	}
	return codehost.Comparison{MergeBase: cmp.Or(h.MergeBases[base+" "+head], base)}, h.failed("compare")
}

// BranchHead implements [codehost.Committer].
func (h *Host) BranchHead(_ context.Context, _ codehost.Repo, branch string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.BranchReads++
	if h.Tips[branch] == "" {
		return "", &codehost.Error{Class: codehost.ClassNotFound}
	}
	return h.Tips[branch], nil
}

// FileURL implements [codehost.Host].
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return fmt.Sprintf("https://host.example/%s/blob/%s/%s#%d-%d", repo.FullName(), sha, path, first, last)
}

// Permission implements [codehost.Host].
func (h *Host) Permission(_ context.Context, _ codehost.Repo, login string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Asked = append(h.Asked, login)
	if role, found := h.Roles[login]; found {
		return role, h.failed("permission")
	}
	return "none", h.failed("permission")
}

// PermissionOf returns the role of an account with an id, as hosts do that know people by id; see [Host.RolesByID].
func (h *Host) PermissionOf(ctx context.Context, repo codehost.Repo, person domain.HostID, login string) (string, error) {
	h.mu.Lock()
	role, found := h.RolesByID[person]
	h.mu.Unlock()
	if found {
		return role, nil
	}
	return h.Permission(ctx, repo, login)
}

// Threads implements [codehost.Host].
func (h *Host) Threads(context.Context, codehost.Repo, int) ([]codehost.Thread, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Read++
	return slices.Clone(h.Open), h.failed("threads")
}

// fresh returns an unused id. The caller holds the lock.
func (h *Host) fresh() domain.HostID {
	h.next++
	return domain.NumberID(h.next)
}

// CreateDraft implements [codehost.Host].
func (h *Host) CreateDraft(_ context.Context, _ codehost.Repo, n int, d codehost.Draft) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("create"); err != nil {
		return codehost.Review{}, err
	}
	if slices.ContainsFunc(h.reviews, func(r *codehost.Review) bool { return r.State == codehost.ReviewPending && h.of[r.ID] == n }) {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassSlotTaken}
	}
	r := &codehost.Review{ID: h.fresh(), State: codehost.ReviewPending, Body: d.Body.String(), Commit: d.Commit, Mine: true}
	h.reviews = append(h.reviews, r)
	h.of[r.ID] = n
	for _, c := range d.Comments {
		id := h.fresh()
		h.Comments = append(h.Comments, codehost.Comment{ID: id, Path: c.Path, Side: c.Side, Line: c.Line, Body: c.Body.String(),
			Mine: true, Open: true, Review: r.ID, URL: fmt.Sprintf("https://host.example/pull/%d#discussion_r%s", n, id)})
	}
	h.Writes = append(h.Writes, "create")
	return *r, nil
}

// Reviews implements [codehost.Host].
func (h *Host) Reviews(_ context.Context, _ codehost.Repo, n int) (out []codehost.Review, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		if h.of[r.ID] == n {
			out = append(out, *r)
		}
	}
	return out, nil
}

func (h *Host) review(id domain.HostID) (*codehost.Review, error) {
	for _, r := range h.reviews {
		if r.ID == id {
			return r, nil
		}
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound}
}

// Review implements [codehost.Host].
func (h *Host) Review(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("review"); err != nil {
		return codehost.Review{}, err
	}
	r, err := h.review(id)
	if err != nil {
		return codehost.Review{}, err
	}
	return *r, nil
}

// SubmitDraft implements [codehost.Host].
func (h *Host) SubmitDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID, body markdown.Text) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	lost := h.failed("submit")
	if lost != nil && codehost.ClassOf(lost) != codehost.ClassAmbiguous {
		return codehost.Review{}, lost
	}
	r, err := h.review(id)
	if err != nil {
		return codehost.Review{}, err
	}
	r.State, r.Body, r.URL = codehost.ReviewSubmitted, body.String(), fmt.Sprintf("https://host.example/reviews/%s", id)
	h.Writes = append(h.Writes, "submit")
	return *r, lost
}

// DeleteDraft implements [codehost.Host].
func (h *Host) DeleteDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reviews = slices.DeleteFunc(h.reviews, func(r *codehost.Review) bool { return r.ID == id })
	h.Writes = append(h.Writes, "delete")
	return nil
}

// EditReview implements [codehost.Host].
func (h *Host) EditReview(_ context.Context, _ codehost.Repo, _ int, id domain.HostID, body markdown.Text) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.review(id)
	if err != nil {
		return err
	}
	return h.edit("edit review", func() { r.Body = body.String() })
}

// Spare implements [codehost.Host]; see [Host.Busy].
func (h *Host) Spare(context.Context, codehost.Repo) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.busy, nil
}

// Busy sets whether the write budget has no room to spare.
func (h *Host) Busy(busy bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy = busy
}
