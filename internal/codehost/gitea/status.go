package gitea

import (
	"context"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

const (
	// maxDescription cuts the text of a status, in characters. The host keeps any
	// length (models/git/commit_status.go, TEXT) and shows one line.
	maxDescription = 255
	// maxStatuses bounds the statuses of a commit that are looked through.
	maxStatuses = 2000
)

// states are the host's words for those of a check. A status has no neutral, and a
// warning counts as a failure (modules/commitstatus/commit_status.go, Combine), so
// what is no verdict on the change is a success; the text says what it is.
var states = map[string]sdk.StatusState{
	"": sdk.StatusPending, "success": sdk.StatusSuccess, "neutral": sdk.StatusSuccess, "skipped": sdk.StatusSuccess,
	"failure": sdk.StatusFailure, "cancelled": sdk.StatusError, "action_required": sdk.StatusPending,
}

// CreateCheck implements [codehost.Publisher] as a commit status. The host shows
// the newest one of a name, so that a second call replaces the first: the id is the
// name.
func (h *Host) CreateCheck(ctx context.Context, repo codehost.Repo, check codehost.Check) (string, error) {
	return check.Name, h.say(ctx, "create check", repo, check)
}

// UpdateCheck implements [codehost.Publisher]: it says the status anew.
func (h *Host) UpdateCheck(ctx context.Context, repo codehost.Repo, id string, check codehost.Check) error {
	const op = "update check"
	if id != check.Name {
		return codehost.Refused(op, "the id of a status is its name")
	}
	return h.say(ctx, op, repo, check)
}

func (h *Host) say(ctx context.Context, op string, repo codehost.Repo, check codehost.Check) error {
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return err
	}
	state, known := states[check.Conclusion]
	if !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	text := check.Title.String()
	if text == "" {
		text = check.Name
	}
	opts := sdk.CreateStatusOption{State: state, TargetURL: check.DetailsURL, Context: check.Name,
		Description: clip.Runes(strings.Join(strings.Fields(text), " "), maxDescription, "…")}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, _, err := c.CreateStatus(repo.Owner, repo.Name, check.HeadSHA, opts)
		return err
	})
}

// FindChecks implements [codehost.Publisher]: there is one status of a name, or
// none. Which run it speaks of the host does not keep.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return nil, err
	}
	self, err := h.self(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := all(ctx, h, op, maxStatuses, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Status, *sdk.Response, error) {
		return c.ListStatuses(repo.Owner, repo.Name, check.HeadSHA, sdk.ListStatusesOption{ListOptions: opts})
	})
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		if s != nil && s.Context == check.Name && self.is(s.Creator) {
			return []string{check.Name}, nil
		}
	}
	return nil, nil
}
