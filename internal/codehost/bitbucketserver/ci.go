package bitbucketserver

import (
	"context"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

var _ codehost.CI = (*Host)(nil)

// maxStatuses is the most build statuses of a commit that are read, and maxCIName the most characters of a name.
const (
	maxStatuses = 2000
	maxCIName   = 200
)

// noJobs is the refusal of reading jobs: the host has no CI of its own.
const noJobs = "the host has no CI of its own: it shows the results that other systems report, without their logs"

// Jobs implements [codehost.CI].
func (h *Host) Jobs(context.Context, codehost.Repo, string) ([]codehost.Job, bool, error) {
	return nil, false, codehost.Refused("list jobs", noJobs)
}

// JobLog implements [codehost.CI].
func (h *Host) JobLog(context.Context, codehost.Repo, domain.HostID, func(io.Reader) error) error {
	return codehost.Refused("read job log", noJobs)
}

// conclusions maps the host's states of a build to conclusions.
var conclusions = map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "CANCELLED": "cancelled"}

// Results implements [codehost.CI] with the build statuses of a commit (the description, GET
// build-status/latest/commits/{id}; the calls of a repository read one status by its key).
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	const op = "list statuses"
	if err := checkRepo(op, repo); err != nil {
		return out, err
	}
	if !codehost.IsCommit(commit) {
		return out, codehost.Refused(op, "the commit must be a full commit id")
	}
	list, whole, err := list(ctx, h, op, builds+"/commits/"+commit, maxStatuses, func(s *status) (codehost.CIFailure, bool) {
		if s == nil || strings.HasPrefix(s.Key, keyPrefix) {
			return codehost.CIFailure{}, false
		}
		conclusion := conclusions[s.State]
		out.Count(conclusion)
		name := s.Name
		if name == "" {
			name = s.Key
		}
		return codehost.FailedStatus(wire.OneLine(name, maxCIName), conclusion, wire.Words(s.Description, codehost.MaxCIText),
			wire.Link(s.URL), timeOf(max(s.Updated, s.Added))), codehost.IsFailure(conclusion)
	})
	if err != nil {
		return codehost.CIResults{}, err
	}
	out.Failed, out.Whole = list, whole
	out.Bound()
	return out, nil
}
