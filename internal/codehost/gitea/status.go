package gitea

import (
	"context"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/regexp"
)

const (
	// maxDescription is the most characters of a status's text; longer texts are cut. The host keeps any
	// length (models/git/commit_status.go, TEXT) and shows one line.
	maxDescription = 255
	// maxStatuses is the most statuses of a commit that are searched.
	maxStatuses = 2000
)

// states maps the conclusions of a check to the host's states. The host has no neutral state and counts a
// warning as a failure (modules/commitstatus/commit_status.go, Combine), so a neutral check is a success
// with an explanation as its text. A head that was not reviewed gets [stateSkipped] if the host has that
// state.
var states = map[string]sdk.StatusState{
	"": sdk.StatusPending, "success": sdk.StatusSuccess, "neutral": sdk.StatusSuccess, "skipped": sdk.StatusSuccess,
	"failure": sdk.StatusFailure, "cancelled": sdk.StatusError, "action_required": sdk.StatusPending,
}

// stateSkipped shows a grey sign and passes like a success (modules/commitstatus/commit_status.go of Gitea
// 1.26.4, Combine). Older versions store it, but count an unknown state as a failure.
const stateSkipped sdk.StatusState = "skipped"

// release matches the start of a Gitea version, such as 1.26.4 or 1.27.0+dev-12-gabcdef.
var release = regexp.MustCompile(`^v?([0-9]{1,4})\.([0-9]{1,4})(?:[.+~-]|$)`)

// hasSkipped reports whether a Gitea version has [stateSkipped], according to the source of 1.26.4.
func hasSkipped(version string) bool {
	m := release.FindStringSubmatch(version)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 1 || major == 1 && minor >= 26
}

// state returns the host's state for a check, and false for an unknown conclusion. If the host does not
// report its version, a head without a review is a success.
func (h *Host) state(ctx context.Context, op string, check codehost.Check) (sdk.StatusState, bool) {
	state, known := states[check.Conclusion]
	if !check.Unread || state != sdk.StatusSuccess || !h.flavour.skipped {
		return state, known
	}
	version := ""
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		version, _, err = c.ServerVersion()
		return err
	})
	if err == nil && hasSkipped(version) {
		return stateSkipped, true
	}
	return state, true
}

// CreateCheck implements [codehost.Publisher] with a commit status. The host shows the newest status of a
// name, so a second call replaces the first one: the id is the name.
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
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return err
	}
	state, known := h.state(ctx, op, check)
	if !known {
		return codehost.Refused(op, "the conclusion is not one that a check has")
	}
	opts := sdk.CreateStatusOption{State: state, TargetURL: check.DetailsURL, Context: check.Name,
		Description: wire.StatusText(check, maxDescription)}
	return h.write(ctx, op, func(c *sdk.Client) error {
		_, _, err := c.CreateStatus(repo.Owner, repo.Name, check.HeadSHA, opts)
		return err
	})
}

// FindChecks implements [codehost.Publisher]. It finds at most one status of a name, because the host does
// not store the run's id.
func (h *Host) FindChecks(ctx context.Context, repo codehost.Repo, check codehost.Check) ([]string, error) {
	const op = "list checks"
	if err := wire.CheckCheck(op, repo, check); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	list, _, err := listAll(ctx, h, op, maxStatuses, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Status, *sdk.Response, error) {
		return c.ListStatuses(repo.Owner, repo.Name, check.HeadSHA, sdk.ListStatusesOption{ListOptions: opts})
	}, func(s *sdk.Status) (string, bool) {
		return check.Name, s != nil && s.Context == check.Name && self.is(s.Creator)
	})
	// A status beyond the bound is created again, which the host takes as its change.
	return list[:min(len(list), 1)], err
}
