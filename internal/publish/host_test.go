package publish_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// outcome is the result of the next request of an operation.
type outcome string

const (
	lostApplied outcome = "applied, reply lost"
	lostDropped outcome = "dropped, reply lost"
	lostLate    outcome = "reply lost, applied when late() is called"
	limited     outcome = "limited"
	invalid     outcome = "invalid"
	forbidden   outcome = "forbidden"
	noToken     outcome = "the token is refused"
	notFound    outcome = "not found"
	unavailable outcome = "unavailable"
	tooMany     outcome = "too many to list"
	moved       outcome = "the repository has another name"
	partly      outcome = "answered with 500, the first comment applied"
)

type draft struct {
	codehost.Review
	comments []codehost.DraftComment
	replies  []string // replies of people
}

// host is a code host in memory with one pull request. Methods that the publisher does not use panic.
type host struct {
	codehost.Host
	slot bool // one pending review per account
	// direct makes it a host on which one write makes a review visible. A create may be applied in part, and
	// absorbs an open draft.
	direct bool
	kind   domain.ConnectionKind    // kind of host whose capabilities it has, "" for GitHub
	alters func(body string) string // the host's changes to a comment's text, or nil

	mu      sync.Mutex
	pr      codehost.PullRequest
	reviews []*draft
	hidden  int // number of the newest reviews that lists omit
	id      int64
	script  map[string][]outcome
	part    bool           // the applied create stops after its first comment
	keeps   bool           // a published draft is not deleted
	hollow  bool           // publishing a draft makes no comment
	waiting []func()       // requests that are applied late
	sent    map[string]int // requests by operation
	effects map[string]int
	point   func(name string) // called before and after every request; may end the goroutine
}

func newHost(head string) *host {
	return &host{slot: true, pr: codehost.PullRequest{Number: 1, Open: true, HeadSHA: head}, script: map[string][]outcome{},
		sent: map[string]int{}, effects: map[string]int{}, id: 100}
}

func (h *host) Capabilities() codehost.Capabilities {
	if h.direct {
		return codehost.CapabilitiesOf(domain.Gitea)
	}
	if h.kind != "" {
		return codehost.CapabilitiesOf(h.kind)
	}
	c := codehost.CapabilitiesOf(codehost.GitHub)
	c.OneDraftSlot = h.slot
	return c
}

// at calls point, without the lock.
func (h *host) at(name string) {
	if h.point != nil {
		h.point(name)
	}
}

func fail(class codehost.Class, op string) error { return &codehost.Error{Class: class, Op: op} }

// do executes one request with the outcome that the script has for it.
func (h *host) do(op string, apply func() error) error {
	h.at(op + ": before")
	h.mu.Lock()
	h.sent[op]++
	var o outcome
	if s := h.script[op]; len(s) > 0 {
		o, h.script[op] = s[0], s[1:]
	}
	err := error(nil)
	switch o {
	case "":
		err = apply()
	case lostApplied:
		_ = apply()
		err = fail(codehost.ClassAmbiguous, op)
	case lostDropped:
		err = fail(codehost.ClassAmbiguous, op)
	case lostLate:
		h.waiting = append(h.waiting, func() { _ = apply() })
		err = fail(codehost.ClassAmbiguous, op)
	case limited:
		err = &codehost.Error{Class: codehost.ClassLimited, Op: op, RetryAfter: 7 * time.Minute}
	case invalid:
		err = fail(codehost.ClassInvalid, op)
	case forbidden:
		err = fail(codehost.ClassForbidden, op)
	case noToken:
		err = &codehost.Error{Class: codehost.ClassForbidden, Op: op, Status: http.StatusUnauthorized}
	case notFound:
		err = fail(codehost.ClassNotFound, op)
	case unavailable:
		err = fail(codehost.ClassUnavailable, op)
	case moved:
		err = fail(codehost.ClassMoved, op)
	case tooMany:
		err = fail(codehost.ClassTooLarge, op)
	case draftKept:
		h.keeps = true
		_ = apply()
		h.keeps = false
		err = fail(codehost.ClassAmbiguous, op)
	case unmade:
		h.hollow = true
		err = apply()
		h.hollow = false
	case partly:
		h.part = true
		_ = apply()
		h.part = false
		err = fail(codehost.ClassAmbiguous, op)
	}
	h.mu.Unlock()
	h.at(op + ": after")
	return err
}

// late applies the requests that are still under way.
func (h *host) late() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.waiting {
		f()
	}
	h.waiting = nil
}

func (h *host) PullRequest(context.Context, codehost.Repo, int) (pr codehost.PullRequest, err error) {
	err = h.do("pull", func() error { pr = h.pr; return nil })
	return pr, err
}

func (h *host) OpenPullRequests(context.Context, codehost.Repo) (list []codehost.PullRequest, err error) {
	err = h.do("list", func() error { list = []codehost.PullRequest{h.pr}; return nil })
	return list, err
}

func (h *host) CreateDraft(_ context.Context, _ codehost.Repo, _ int, d codehost.Draft) (out codehost.Review, err error) {
	err = h.do("create", func() error {
		if h.slot && slices.ContainsFunc(h.reviews, func(r *draft) bool { return r.Mine && r.State == codehost.ReviewPending }) {
			return fail(codehost.ClassSlotTaken, "create")
		}
		h.effects["create"]++
		h.id++
		out = codehost.Review{ID: domain.NumberID(h.id), State: codehost.ReviewPending, Body: d.Body.String(), Commit: d.Commit, Mine: true}
		h.reviews = append(h.reviews, &draft{Review: out, comments: d.Comments})
		return nil
	})
	return out, err
}

// CreateReview creates a visible review.
func (h *host) CreateReview(_ context.Context, _ codehost.Repo, _ int, d codehost.Draft) (out codehost.Review, err error) {
	err = h.do("create", func() error {
		h.effects["create"]++
		out = h.absorb(d)
		return nil
	})
	return out, err
}

// DeleteReview deletes a review, visible or not.
func (h *host) DeleteReview(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	return h.do("delete", func() error {
		h.effects["delete"]++
		h.reviews = slices.DeleteFunc(h.reviews, func(d *draft) bool { return d.ID == id })
		return nil
	})
}

// absorb creates a review as Gitea 1.26.4 does: comment by comment, into the open draft, and the body and
// state last.
func (h *host) absorb(d codehost.Draft) codehost.Review {
	at := slices.IndexFunc(h.reviews, func(r *draft) bool { return r.Mine && r.State == codehost.ReviewPending })
	if at < 0 {
		h.id++
		at = len(h.reviews)
		h.reviews = append(h.reviews, &draft{Review: codehost.Review{ID: domain.NumberID(h.id), State: codehost.ReviewPending, Mine: true}})
	}
	into := h.reviews[at]
	if h.part {
		into.comments = append(into.comments, d.Comments[:min(1, len(d.Comments))]...)
		return into.Review
	}
	into.comments = append(into.comments, d.Comments...)
	into.Body, into.Commit = d.Body.String(), d.Commit
	into.State, into.URL = codehost.ReviewSubmitted, "https://host.example/review"
	return into.Review
}

func (h *host) ReviewComments(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) (out []codehost.Comment, err error) {
	err = h.do("comments", func() error {
		r := h.find(id)
		if r == nil {
			return fail(codehost.ClassNotFound, "comments")
		}
		for i, c := range r.comments {
			body := c.Body.String()
			if h.alters != nil {
				body = h.alters(body)
			}
			out = append(out, codehost.Comment{ID: domain.HostID(fmt.Sprint(id, "00", i)), Path: c.Path, Line: c.Line, Body: body, Mine: true, Review: id, URL: "https://host.example/comment"})
		}
		for _, said := range r.replies {
			out = append(out, codehost.Comment{ID: domain.HostID(fmt.Sprint(id, "99")), Path: "a.go", Line: 3, Body: said, Review: id})
		}
		return nil
	})
	return out, err
}

func (h *host) Reviews(context.Context, codehost.Repo, int) (out []codehost.Review, err error) {
	err = h.do("list", func() error {
		for _, r := range h.reviews[:max(0, len(h.reviews)-h.hidden)] {
			out = append(out, r.Review)
		}
		return nil
	})
	return out, err
}

func (h *host) find(id domain.HostID) *draft {
	for _, r := range h.reviews {
		if r.ID == id {
			return r
		}
	}
	return nil
}

func (h *host) Review(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) (out codehost.Review, err error) {
	err = h.do("get", func() error {
		r := h.find(id)
		if r == nil {
			return fail(codehost.ClassNotFound, "get")
		}
		out = r.Review
		return nil
	})
	return out, err
}

func (h *host) SubmitDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID, body markdown.Text) (out codehost.Review, err error) {
	err = h.do("submit", func() error {
		r := h.find(id)
		switch {
		case r == nil:
			return fail(codehost.ClassNotFound, "submit")
		case r.State != codehost.ReviewPending:
			return fail(codehost.ClassInvalid, "submit")
		}
		h.effects["submit"]++
		r.State, r.Body, r.URL = codehost.ReviewSubmitted, body.String(), "https://host.example/review"
		out = r.Review
		return nil
	})
	return out, err
}

func (h *host) DeleteDraft(_ context.Context, _ codehost.Repo, _ int, id domain.HostID) error {
	return h.do("delete", func() error {
		r := h.find(id)
		switch {
		case r == nil:
			return nil
		case r.State != codehost.ReviewPending:
			return fail(codehost.ClassInvalid, "delete")
		}
		h.effects["delete"]++
		h.reviews = slices.DeleteFunc(h.reviews, func(d *draft) bool { return d.ID == id })
		return nil
	})
}

// put adds a review without the protocol.
func (h *host) put(body string, state codehost.ReviewState, mine bool) domain.HostID {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.id++
	id := domain.NumberID(h.id)
	h.reviews = append(h.reviews, &draft{Review: codehost.Review{ID: id, State: state, Body: body, Mine: mine}})
	return id
}

// remove deletes a review as a person would.
func (h *host) remove(id domain.HostID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reviews = slices.DeleteFunc(h.reviews, func(d *draft) bool { return d.ID == id })
}

// count returns the numbers of visible reviews and of drafts by our account.
func (h *host) count() (visible, pending int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		switch {
		case !r.Mine:
		case r.State == codehost.ReviewPending:
			pending++
		default:
			visible++
		}
	}
	return visible, pending
}

// shown returns the one visible review.
func (h *host) shown() *draft {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		if r.Mine && r.State == codehost.ReviewSubmitted && strings.Contains(r.Body, "assay:pub=") {
			return r
		}
	}
	return nil
}

// crashAt ends the goroutine that reaches the n-th point, counted from 1.
func (h *host) crashAt(n int) {
	h.point = func(string) {
		if n--; n == 0 {
			h.point = nil
			runtime.Goexit()
		}
	}
}
