package bitbucketcloud

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxDescription is the most characters of a status's text, and maxStatusName those of its name (design choices: the host documents no
// bounds of them); longer texts are cut.
const (
	maxDescription = 255
	maxStatusName  = 255
)

// maxStatuses is the most statuses of a commit that are searched.
const maxStatuses = 2000

// keyPrefix begins the keys of our statuses: the host does not name the author of a status, so the key shows that one is ours.
const keyPrefix = "assay-"

// statusKey returns the key of the status of a check. It follows from the name alone, because a later run must replace the end of an
// earlier one on the same commit: the host counts each key among the builds that must pass. A key has at most 40 characters
// (buildbot/buildbot#7049).
func statusKey(name string) string {
	sum := sha256.Sum256([]byte(name))
	return keyPrefix + hex.EncodeToString(sum[:16])
}

// states maps conclusions to the host's states (the description, commitstatus). There is no neutral one, so a check without a verdict is
// a success, and its text explains it.
var states = map[string]string{
	"": "INPROGRESS", "success": "SUCCESSFUL", "neutral": "SUCCESSFUL", "skipped": "SUCCESSFUL",
	"failure": "FAILED", "cancelled": "STOPPED", "action_required": "INPROGRESS",
}

type status struct {
	Key         string `json:"key"`
	Name        string `json:"name"`
	State       string `json:"state"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Refname     string `json:"refname,omitempty"`
	UpdatedOn   string `json:"updated_on,omitempty"`
}

func checkCheck(op string, repo codehost.Repo, check codehost.Check) error {
	if _, known := states[check.Conclusion]; !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	return wire.CheckCheck(op, repo, check)
}

// CreateCheck implements [codehost.Publisher] with a build status. A second call replaces the first one.
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

// plainBraces keeps the host from reading a variable in an address ("{repository.full_name}", the description of the call).
var plainBraces = strings.NewReplacer("{", "%7B", "}", "%7D")

// setStatus sets the status, which an existing one with the key becomes. The head of a fork is a commit of the fork, if the repository
// itself does not have it.
func (h *Host) setStatus(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkCheck(op, repo, check); err != nil {
		return err
	}
	in := status{Key: statusKey(check.Name), Name: wire.OneLine(check.Name, maxStatusName), State: states[check.Conclusion],
		Description: wire.StatusText(check, maxDescription), URL: plainBraces.Replace(check.DetailsURL)}
	if in.URL == "" { // the host wants one
		in.URL = h.client.Base + "/" + repo.FullName() + "/commits/" + check.HeadSHA
	}
	ref, fork, err := h.sourceOf(ctx, op, repo, check.Number)
	if err != nil {
		return err
	}
	in.Refname = ref
	err = h.client.Send(ctx, op, http.MethodPost, at(repo)+"/commit/"+check.HeadSHA+"/statuses/build", in, nil)
	if fork != nil && codehost.ClassOf(err) == codehost.ClassNotFound {
		there := h.client.Send(ctx, op, http.MethodPost, at(*fork)+"/commit/"+check.HeadSHA+"/statuses/build", in, nil)
		if !codehost.IsAccessLost(there) {
			return there
		}
	}
	return err
}

// sourceOf returns the branch of a pull request's head, which a status must name to be shown there, or the fork of the head. The name of
// a fork's branch must not be used, because the repository may have a branch of that name.
func (h *Host) sourceOf(ctx context.Context, op string, repo codehost.Repo, number int) (ref string, fork *codehost.Repo, err error) {
	if number == 0 {
		return "", nil, nil
	}
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return "", nil, err
	}
	one := p.pullRequest()
	if !one.FromFork {
		return one.HeadRef, nil, nil
	}
	if p.Source.Repository == nil {
		return "", nil, nil
	}
	var of codehost.Repo
	of.Owner, of.Name, _ = strings.Cut(p.Source.Repository.FullName, "/")
	if wire.CheckRepo(op, of) != nil {
		return "", nil, nil
	}
	return "", &of, nil
}

// FindChecks implements [codehost.Publisher]. It finds at most one status, because the host does not keep the run's id.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := checkCheck(op, repo, check); err != nil {
		return nil, err
	}
	key := statusKey(check.Name)
	var got status
	err := h.client.Get(ctx, op, at(repo)+"/commit/"+check.HeadSHA+"/statuses/build/"+key, &got)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		_, fork, err := h.sourceOf(ctx, op, repo, check.Number)
		if err != nil || fork == nil {
			return nil, err
		}
		if err := h.client.Get(ctx, op, at(*fork)+"/commit/"+check.HeadSHA+"/statuses/build/"+key, &got); err != nil {
			if codehost.IsAccessLost(err) {
				return nil, nil
			}
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if got.Key != key {
		return nil, nil
	}
	return []string{key}, nil
}
