package reviewtest

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
)

// Comment implements [codehost.Reader]; see [Host.Written].
func (h *Host) Comment(_ context.Context, _ codehost.Repo, told codehost.EventComment) (codehost.EventComment, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("comment"); err != nil {
		return codehost.EventComment{}, err
	}
	if h.Written != nil {
		return h.Written(told)
	}
	if kept, known := h.written[told.ID]; known && told.Author == "" { // it is asked by its id alone
		return kept, nil
	}
	return told, nil
}

// Resolve implements [codehost.Reader]; see [Host.SetRepository].
func (h *Host) Resolve(_ context.Context, at codehost.Repo) (codehost.RepoInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.resolved++
	r, known := h.repositories[at.ExternalID]
	if err := h.failed("resolve repository"); err != nil {
		return codehost.RepoInfo{}, err
	}
	if !known {
		return codehost.RepoInfo{}, &codehost.Error{Class: codehost.ClassNotFound, Op: "resolve repository"}
	}
	return r, nil
}

// Resolved returns the number of calls of [Host.Resolve].
func (h *Host) Resolved() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resolved
}

// SetRepository fixes the host's answer about a repository. Otherwise the host answers as the newest event
// says.
func (h *Host) SetRepository(r codehost.RepoInfo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.repositories[r.ExternalID], h.pinned = r, true
}

// tell makes the host answer as an event describes its repository.
func (h *Host) tell(ev codehost.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ev.Comment != nil {
		h.written[ev.Comment.ID] = *ev.Comment
	}
	if h.pinned || ev.Repository == nil || ev.PullRequest != nil && ev.PullRequest.UpdatedAt.Before(h.heard) {
		return
	}
	if ev.PullRequest != nil {
		h.heard = ev.PullRequest.UpdatedAt
	}
	h.repositories[ev.Repository.ExternalID] = *ev.Repository
}
