package reviewtest

import (
	"context"
	"fmt"
	"strconv"

	"github.com/assay-dev/assay/internal/codehost"
)

// CreateCheck implements [codehost.Host]; see [Host.Fail].
func (h *Host) CreateCheck(_ context.Context, _ codehost.Repo, c codehost.Check) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.failed("check")
	if err != nil && codehost.ClassOf(err) != codehost.ClassAmbiguous {
		return "", err
	}
	h.checks = append(h.checks, c)
	h.Writes = append(h.Writes, "new check "+c.Conclusion)
	return fmt.Sprint(len(h.checks)), err
}

// UpdateCheck implements [codehost.Host].
func (h *Host) UpdateCheck(_ context.Context, _ codehost.Repo, id string, c codehost.Check) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(h.checks) {
		if err := h.failed("check"); err != nil {
			return err
		}
		return &codehost.Error{Class: codehost.ClassNotFound}
	}
	if err := h.failed("check"); codehost.ClassOf(err) == codehost.ClassAmbiguous {
		h.late = append(h.late, func() { h.checks[n-1] = c })
		return err
	} else if err != nil {
		return err
	}
	h.checks[n-1] = c
	h.Writes = append(h.Writes, "check "+c.Conclusion)
	return nil
}

// Newest returns the check run that was made last, which a host shows.
func (h *Host) Newest() (newest codehost.Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.checks) > 0 {
		newest = h.checks[len(h.checks)-1]
	}
	return newest
}

// Shown returns the newest check run of a head.
func (h *Host) Shown(head string) (newest codehost.Check) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.checks {
		if c.HeadSHA == head {
			newest = c
		}
	}
	return newest
}

// FindChecks implements [codehost.Host]; [Host.Lag] hides existing check runs.
func (h *Host) FindChecks(_ context.Context, _ codehost.Repo, c codehost.Check) (ids []string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.checks) - 1; i >= 0 && !h.Lag; i-- {
		if h.checks[i].ExternalID == c.ExternalID {
			ids = append(ids, fmt.Sprint(i+1))
		}
	}
	return ids, nil
}
