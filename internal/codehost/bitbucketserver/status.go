package bitbucketserver

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// Bounds of a build status and of a report in characters (the description, POST R/commits/{id}/builds and
// PUT …/reports/{key}). Longer texts are cut; a longer address is replaced by that of the commit.
const (
	maxStatusText  = 255
	maxStatusURL   = 450
	maxReportText  = 2000
	maxReportTitle = 450
)

// keyPrefix begins the keys of our build statuses and reports: the host does not name the author of a build status,
// so the key shows that one is ours.
const keyPrefix = "assay-"

// statusKey returns the key of the status of a check. It follows from the name alone, because a later run must
// replace the end of an earlier one on the same commit.
func statusKey(name string) string {
	sum := sha256.Sum256([]byte(name))
	return keyPrefix + hex.EncodeToString(sum[:16])
}

// states maps conclusions to the host's states. There is no neutral one, so a check without a verdict is a success,
// and its text explains it.
var states = map[string]string{
	"": "INPROGRESS", "success": "SUCCESSFUL", "neutral": "SUCCESSFUL", "skipped": "SUCCESSFUL",
	"failure": "FAILED", "cancelled": "CANCELLED", "action_required": "INPROGRESS",
}

type status struct {
	Key         string `json:"key"`
	Name        string `json:"name"`
	State       string `json:"state"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Ref         string `json:"ref,omitempty"`
	Updated     int64  `json:"updatedDate,omitempty"`
	Added       int64  `json:"dateAdded,omitempty"`
}

type report struct {
	Title    string   `json:"title"`
	Details  string   `json:"details,omitempty"`
	Result   string   `json:"result,omitempty"` // PASS, FAIL
	Reporter string   `json:"reporter"`
	Link     string   `json:"link,omitempty"`
	Data     []string `json:"data"` // required, and empty
}

func checkCheck(op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	if _, known := states[check.Conclusion]; !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	return wire.CheckStatus(op, check)
}

// CreateCheck implements [codehost.Publisher] with a build status and, at the end, a report of Code Insights. A second
// call replaces both.
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (string, error) {
	return statusKey(check.Name), h.setStatus(ctx, "create check", repo, check)
}

// UpdateCheck implements [codehost.Publisher]. It sets the status again.
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if id != statusKey(check.Name) {
		return codehost.Refused(op, "the id of a status follows from its name")
	}
	return h.setStatus(ctx, op, repo, check)
}

// setStatus sets the status and then the report. A host without Code Insights, or whose report belongs to another
// account, has the status alone.
func (h *Host) setStatus(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkCheck(op, repo, check); err != nil {
		return err
	}
	in := status{Key: statusKey(check.Name), Name: wire.OneLine(check.Name, maxStatusText), State: states[check.Conclusion],
		Description: wire.StatusText(check, maxStatusText), URL: check.DetailsURL}
	if in.URL == "" || len(in.URL) > maxStatusURL { // the host wants one
		in.URL = h.webRepo(repo) + "/commits/" + check.HeadSHA
	}
	if check.Number > 0 {
		p, err := h.pull(ctx, op, repo, check.Number)
		if err != nil {
			return err
		}
		if one := p.pullRequest(); !one.FromFork && strings.HasPrefix(p.From.ID, branchPrefix) {
			in.Ref = p.From.ID
		}
	}
	err := h.client.Send(ctx, op, http.MethodPost, at(api, repo)+"/commits/"+check.HeadSHA+"/builds", in, nil)
	if err != nil || check.Conclusion == "" {
		return err
	}
	return h.setReport(ctx, op, repo, check, in)
}

// setReport sets the report beside the status of a check that has ended.
func (h *Host) setReport(ctx context.Context, op string, repo codehost.Repo, check codehost.Check, s status) error {
	r := report{Title: cmp.Or(wire.StatusText(check, maxReportTitle), check.Name),
		Details:  clip.Runes(check.Summary.String(), maxReportText, "…"),
		Reporter: "assay", Link: wire.Link(check.DetailsURL), Data: []string{}}
	switch {
	case s.State == "FAILED":
		r.Result = "FAIL"
	case s.State == "SUCCESSFUL" && !check.Unread:
		r.Result = "PASS"
	}
	err := h.client.Send(ctx, op, http.MethodPut, at(insights, repo)+"/commits/"+check.HeadSHA+"/reports/"+s.Key, r, nil)
	if codehost.IsAccessLost(err) {
		return nil
	}
	return err
}

// FindChecks implements [codehost.Publisher]. It finds at most one status, because the host does not keep the run's id.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := checkCheck(op, repo, check); err != nil {
		return nil, err
	}
	key := statusKey(check.Name)
	var got status
	err := h.client.Get(ctx, op, at(api, repo)+"/commits/"+check.HeadSHA+"/builds?key="+key, &got)
	if codehost.ClassOf(err) == codehost.ClassNotFound || err == nil && got.Key != key {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{key}, nil
}
