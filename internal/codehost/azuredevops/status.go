package azuredevops

import (
	"context"
	"net/http"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// genre is the genre of our statuses; branch policies name a status by genre and name.
const genre = "assay"

// maxDescription is the most characters of a status's text (design choice; no bound is documented).
const maxDescription = 250

// states maps conclusions to the host's states. notApplicable counts as passed in branch policies, so a head without a review is an error
// unless a person decided so.
var states = map[string]string{"": "pending", "success": "succeeded", "neutral": "succeeded", "skipped": "notApplicable",
	"failure": "failed", "cancelled": "error", "action_required": "pending"}

type statusRef struct {
	ID          int64  `json:"id"`
	State       string `json:"state"`
	Description string `json:"description"`
	TargetURL   string `json:"targetUrl"`
	Context     struct {
		Genre string `json:"genre"`
		Name  string `json:"name"`
	} `json:"context"`
	CreatedBy identityRef `json:"createdBy"`
	Created   string      `json:"creationDate"`
}

// checkStatus returns an error for a check that the host would refuse.
func checkStatus(op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	if _, known := states[check.Conclusion]; !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	return wire.CheckStatus(op, check)
}

// statusPlace returns the path of a check's statuses: those of the pull request, with the number of the head's iteration, if the head is
// one of its iterations, and otherwise those of the commit. Branch policies look at statuses of pull requests.
func (h *Host) statusPlace(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) (path string,
	iteration int, err error) {
	path = repoPath(repo) + "/commits/" + check.HeadSHA + "/statuses"
	if check.Number == 0 {
		return path, 0, nil
	}
	list, err := h.iterations(ctx, op, repo, check.Number)
	if codehost.IsAccessLost(err) {
		return path, 0, nil
	}
	for _, i := range slices.Backward(list) {
		if i.Source.CommitID == check.HeadSHA {
			return pullPath(repo, check.Number) + "/statuses", i.ID, nil
		}
	}
	return path, 0, err
}

// CreateCheck implements [codehost.Publisher] with a status. The host shows the newest status of a genre and name, so a second call
// replaces the first one: the id is the name.
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (string, error) {
	return check.Name, h.setStatus(ctx, "create check", repo, check)
}

// UpdateCheck implements [codehost.Publisher]. It sets the status again.
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if id != check.Name {
		return codehost.Refused(op, "the id of a status is its name")
	}
	return h.setStatus(ctx, op, repo, check)
}

func (h *Host) setStatus(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
	if err := checkStatus(op, repo, check); err != nil {
		return err
	}
	path, iteration, err := h.statusPlace(ctx, op, repo, check)
	if err != nil {
		return err
	}
	state := states[check.Conclusion]
	if check.Unread && state == "succeeded" {
		state = "error"
	}
	body := map[string]any{"state": state, "description": wire.StatusText(check, maxDescription),
		"context": map[string]string{"genre": genre, "name": check.Name}}
	if check.DetailsURL != "" {
		body["targetUrl"] = check.DetailsURL
	}
	if iteration > 0 {
		body["iterationId"] = iteration
	}
	return h.orMoved(ctx, op, repo, h.write(ctx, op, request{method: http.MethodPost, path: path, body: body}, nil))
}

// FindChecks implements [codehost.Publisher]. It finds at most one status of a name, because the host does not store the run's id.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := checkStatus(op, repo, check); err != nil {
		return nil, err
	}
	path, iteration, err := h.statusPlace(ctx, op, repo, check)
	if err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx, repo.Owner)
	if err != nil {
		return nil, err
	}
	var got answerList[struct {
		statusRef
		Iteration int `json:"iterationId"`
	}]
	if err := h.read(ctx, op, request{path: path}, &got); err != nil {
		return nil, err
	}
	for _, s := range got.Value {
		if s.Context.Genre == genre && s.Context.Name == check.Name && guid(s.CreatedBy.ID) == self.id && s.Iteration == iteration {
			return []string{check.Name}, nil
		}
	}
	return nil, nil
}

// name returns the name of a status of another system.
func (s statusRef) name() string {
	if s.Context.Genre == "" {
		return s.Context.Name
	}
	return s.Context.Genre + "/" + s.Context.Name
}

// conclusions maps the states of statuses to conclusions.
var conclusions = map[string]string{"succeeded": "success", "failed": "failure", "error": "error", "notApplicable": "skipped"}

// otherStatuses lists the newest status of each name of a commit that another account than ours has made.
func (h *Host) otherStatuses(ctx context.Context, op string, repo codehost.Repo, commit string, self domain.HostID) ([]statusRef, error) {
	var got answerList[statusRef]
	err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs},
		request{path: repoPath(repo) + "/commits/" + commit + "/statuses"}, &got)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(got.Value, func(a, b statusRef) int { return int(min(max(b.ID-a.ID, -1), 1)) })
	seen := map[string]bool{}
	return slices.DeleteFunc(got.Value, func(s statusRef) bool {
		again := seen[s.name()]
		seen[s.name()] = true
		return again || guid(s.CreatedBy.ID) == self || s.Context.Name == ""
	}), nil
}
