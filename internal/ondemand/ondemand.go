// Package ondemand starts the review of a pull request that a person requests in the interface, and lists the open pull requests of
// a repository for this. It is for pull requests without an event: opened before the repository was connected, drafts, or not
// reviewed automatically by the policy.
//
// The code host provides the current pull request. A head that was already reviewed is not reviewed again;
// see [run.Runs.Rerun] for that.
package ondemand

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Limits of requests per repository (design choice).
const (
	mostAsked   = 30
	askedWithin = time.Hour
)

// Hosts opens code hosts for reading.
type Hosts interface {
	// Reader returns the host of a repository, and the repository's name there.
	Reader(ctx context.Context, r store.Repository) (codehost.Reader, codehost.Repo, error)
}

// Config holds the dependencies of the service.
type Config struct {
	Store *store.Store
	Audit *audit.Log
	Runs  *run.Runs
	Hosts Hosts       // nil if this process cannot ask code hosts
	Cache cache.Cache // remembers which repositories were listed just now
}

// Service starts reviews and lists open pull requests. It is safe for concurrent use.
type Service struct {
	Config
	listing singleflight.Group // by tenant and repository
	lists   *listLimits
}

// New returns a service.
func New(c Config) *Service { return &Service{Config: c, lists: newListLimits()} }

// Review starts the review of a pull request's current head, even if the policy would not review it
// automatically. If a run of the head is in progress or waits for a person, it returns that run.
//
// Errors: [errs.NotFound] if the host has no such pull request; [errs.Conflict] for a repository that is
// not connected (disconnected), a closed pull request (pull_request_closed), a reviewed head
// (already_reviewed), and a host that forbids to read it (host_forbids) or whose answer is above the bounds
// (host_answer_too_large); [errs.RateLimited] beyond 30 requests per hour and repository, and if the host limits
// the rate; [errs.Unavailable] if the host cannot be asked.
func (s *Service) Review(ctx context.Context, t domain.Tenant, repository store.Repository, number int) (store.Run, error) {
	pr, err := s.ask(ctx, repository, number)
	if err != nil {
		return store.Run{}, err
	}
	if !pr.Open {
		return store.Run{}, errs.New(errs.Conflict, "pull_request_closed", "The pull request is not open.")
	}
	var out run.Outcome
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Runs.UpsertPullRequest(ctx, t, run.PullRow(repository.ID, pr))
		if err != nil {
			return audit.Act{}, err
		}
		if out, err = s.start(ctx, t, row); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "pull-request.review", Target: audit.Target{Kind: "pull-request", ID: row.ID}, Note: out.Run}, nil
	})
	if err != nil {
		return store.Run{}, err
	}
	return s.Store.Run(ctx, t, out.Run)
}

// start creates the run, or joins the unfinished run of the head. Beyond the limit it returns an error,
// which rolls the transaction back.
func (s *Service) start(ctx context.Context, t domain.Tenant, row store.PullRequest) (run.Outcome, error) {
	asked, err := s.Store.RequestedRuns(ctx, t, row.Repository, askedWithin)
	if err != nil {
		return run.Outcome{}, err
	}
	who := audit.By(ctx)
	out, err := s.Runs.Ask(ctx, t, row, domain.Asker{How: domain.AskedByRequest, UserID: who.UserID, Name: who.Name})
	switch {
	case err != nil:
		return out, err
	case out.Refuse != "":
		return out, errs.New(errs.Conflict, "already_reviewed", "This head was reviewed by the run %s. To review it again, "+
			"rerun that one.", out.Run)
	case out.Made && asked >= mostAsked:
		return out, &errs.Error{Kind: errs.RateLimited, Code: "asked_too_often",
			Message: "Thirty reviews were requested in this repository within the last hour. Ask again later. Events of the code host " +
				"still start reviews.", RetryAfter: askedWithin / mostAsked}
	}
	return out, nil
}

// ask reads the current pull request from the host.
func (s *Service) ask(ctx context.Context, repository store.Repository, number int) (codehost.PullRequest, error) {
	host, repo, err := s.reader(ctx, repository)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	pr, err := host.PullRequest(ctx, repo, number)
	return pr, refusal(err)
}

// reader opens the host of a connected repository.
func (s *Service) reader(ctx context.Context, repository store.Repository) (codehost.Reader, codehost.Repo, error) {
	if repository.State != "active" {
		return nil, codehost.Repo{}, errs.New(errs.Conflict, "disconnected", "The repository is not connected to its host, so that "+
			"its pull requests cannot be read.")
	}
	if s.Hosts == nil {
		return nil, codehost.Repo{}, errs.New(errs.Unavailable, "unavailable", "This process cannot ask code hosts.")
	}
	host, repo, err := s.Hosts.Reader(ctx, repository)
	if _, said := errors.AsType[*errs.Error](err); err != nil && !said && codehost.ClassOf(err) == "" {
		err = &errs.Error{Kind: errs.Unavailable, Code: "host_unavailable", Cause: err,
			Message: "The access to the code host cannot be used. Test the connection or the app, and ask again."}
	}
	return host, repo, refusal(err)
}

// refusal converts a host's error into one for the person who requested the review.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound:
		return errs.Absent()
	case codehost.ClassLimited:
		return &errs.Error{Kind: errs.RateLimited, Code: "host_limited",
			Message:    "The code host asks to wait. The header Retry-After says how long.",
			RetryAfter: max(codehost.RetryAfter(err), time.Second), Cause: err}
	case codehost.ClassForbidden:
		return errs.Wrap(err, errs.Conflict, "host_forbids", "The code host does not let assay read the pull requests of this repository. "+
			"An administrator can test the connection under Code hosts, and renew its token or its permissions.")
	case codehost.ClassTooLarge:
		return errs.Wrap(err, errs.Conflict, "host_answer_too_large", "The code host's answer about the pull requests is larger than assay "+
			"reads. Request the review of a pull request by its number.")
	case "":
		return err
	}
	return &errs.Error{Kind: errs.Unavailable, Code: "host_unavailable",
		Message:    "The code host does not answer. Test the connection, and ask again.",
		RetryAfter: 30 * time.Second, Cause: err}
}
