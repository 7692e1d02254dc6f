package tracking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The stages of a sync, as its progress names them.
const (
	stageHost         = "host"
	stageRepositories = "repositories"
	stageMembers      = "members"
	stageWebhooks     = "webhooks"
)

// listTime is how long the list of repositories may take without an end: 10,000
// of them come in 200 pages (design choice).
const listTime = 10 * time.Minute

// eachTime is how long one repository may take in a stage (design choice).
const eachTime = 5 * time.Minute

// readPatience is how long a request of a synchronisation waits for the share of sweeps: the
// share is for a minute, and a synchronisation that ended would begin from its start.
const readPatience = 90 * time.Second

// told is after how many repositories a stage says how far it is.
const told = 20

// People keeps who has rights on the repositories of connections.
type People interface {
	// KeepMembers keeps who has rights on a repository, in place of what was kept.
	KeepMembers(ctx context.Context, t domain.Tenant, a store.Access, repo store.Repository, members []codehost.Member) error
}

// reading is one reading of what a connection reaches.
type reading struct {
	*Service
	claim  *jobs.Claim
	tenant domain.Tenant
	row    store.ProviderConnection
	host   codehost.Connection
	token  secret.Secret
	access store.Access

	counts   map[string]int
	notes    []string
	archived map[domain.HostID]bool // repositories to which nothing can be written
	left     []store.Repository     // those for which the connection is not any more
}

// do reads everything, and says what came of it.
func (r *reading) do(ctx context.Context, owner codehost.RepoOwner) error {
	err := r.all(codehost.AsSweep(ctx, readPatience), owner)
	switch class := codehost.ClassOf(err); {
	case err == nil:
		return r.claim.Outcome(ctx, domain.JobOutcome{Counts: r.counts, Notes: r.notes}, "")
	case errs.Is(err, errs.Conflict):
		return r.conflict(ctx, err)
	case class == "" || ctx.Err() != nil:
		return err
	case class == codehost.ClassLimited:
		return jobs.Waiting(err)
	default:
		return r.hindered(ctx, err)
	}
}

// conflict ends a reading of an owner that another connection of the tenant has.
func (r *reading) conflict(ctx context.Context, err error) error {
	const message = "Another connection of the tenant has this owner on this host. Delete one of the two."
	if _, err := r.Store.SetProviderState(ctx, r.tenant, r.row.ID, r.row.Version, domain.ConnectionBroken, message); err != nil {
		return err
	}
	r.Logger.WarnContext(ctx, "a connection has the owner of another one", "connection", r.row.ID, "error", err)
	return r.claim.Outcome(ctx, domain.JobOutcome{}, message)
}

// hindered says what the host said, and has it asked again where that may help.
func (r *reading) hindered(ctx context.Context, err error) error {
	a := answer{failed: err, words: words(err, r.token)}
	problem := strings.TrimSuffix(a.sentence()+" "+a.said(), " ")
	again := codehost.ClassOf(err) != codehost.ClassTooLarge
	if err := r.claim.Outcome(ctx, domain.JobOutcome{Counts: r.counts, Notes: r.notes}, problem); err != nil {
		return err
	}
	if again && r.claim.Job.Attempts+1 < mostTries {
		return err
	}
	return nil
}

// note keeps a sentence for people.
func (r *reading) note(format string, args ...any) {
	if len(r.notes) < domain.MaxJobNotes {
		r.notes = append(r.notes, clip.Bytes(Line(fmt.Sprintf(format, args...), r.token), mostMessage))
	}
}

func (r *reading) all(ctx context.Context, owner codehost.RepoOwner) (err error) {
	r.access, err = r.Store.UpsertConnectionAccess(ctx, r.tenant, store.Access{Kind: r.row.Kind, Connection: r.row.ID, Host: r.row.BaseURL, AccountID: owner.ID, AccountLogin: owner.Login})
	if err != nil {
		return err
	}
	repos, err := r.repositories(ctx)
	if err != nil {
		return err
	}
	if err := r.members(ctx, repos); err != nil {
		return err
	}
	if err := r.webhooks(ctx, owner, repos); err != nil {
		return err
	}
	return r.unhookLeft(ctx)
}

// repositories makes the stored repositories those that the host lists and the
// connection is for, and returns them.
func (r *reading) repositories(ctx context.Context) ([]store.Repository, error) {
	r.claim.Stage(stageRepositories, listTime)
	if err := r.claim.Progress(ctx, domain.JobProgress{Stage: stageRepositories}); err != nil {
		return nil, err
	}
	listed, err := r.host.Repositories(ctx)
	if err != nil {
		return nil, err
	}
	intake, err := policy.Intake(ctx, r.Store, r.tenant)
	if err != nil {
		return nil, err
	}
	r.archived = map[domain.HostID]bool{}
	var found []store.Repository
	for _, repo := range r.chosen(listed) {
		r.archived[repo.ExternalID] = repo.Archived
		found = append(found, store.Repository{ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name, DefaultBranch: repo.DefaultBranch, Private: repo.Private, Internal: repo.Internal, Intake: intake,
			ReviewFromUS: r.reviewFrom(repo)})
	}
	changes, taken, err := r.Store.SyncAccessRepositories(ctx, r.tenant, r.access.ID, found)
	if err != nil {
		return nil, err
	}
	r.left = changes.Gone
	r.shared(found, listed)
	for _, v := range taken {
		r.note("%s/%s is taken: another connection of the tenant has it, and its deliveries to this one are ignored.", v.Owner, v.Name)
	}
	all, err := r.Store.AccessRepositories(ctx, r.tenant, r.access.ID)
	if err != nil {
		return nil, err
	}
	active := all[:0]
	for _, v := range all {
		if v.State == "active" {
			active = append(active, v)
		}
	}
	slices.SortStableFunc(active, func(a, b store.Repository) int { // new ones first: the others have members and webhooks already
		return cmp.Compare(b.CreatedUS, a.CreatedUS)
	})
	r.counts["repositories"], r.counts["added"], r.counts["changed"] = len(active), len(changes.Added), len(changes.Changed)
	r.counts["disconnected"], r.counts["taken"], r.counts["webhooks"] = len(changes.Gone), len(taken), 0
	return active, nil
}

// reviewFrom is since when the pull requests of a repository are reviewed that appears
// now: since it was made on the host, and this connection was made for the owner. 0: the
// host does not say when it was made, or the repository is one of others, who share it with the owner: anyone
// may do that with a group that they see.
func (r *reading) reviewFrom(repo codehost.RepoInfo) int64 {
	if repo.CreatedAt.IsZero() || repo.Shared {
		return 0
	}
	since := max(repo.CreatedAt.UnixMicro(), r.row.CreatedUS, r.access.CreatedUS)
	return since - since%time.Second.Microseconds() // hosts tell when a pull request was opened in whole seconds
}

// shared names the repositories of others that came because they are shared with the
// owner.
func (r *reading) shared(found []store.Repository, listed []codehost.RepoInfo) {
	by := map[domain.HostID]bool{}
	for _, repo := range listed {
		by[repo.ExternalID] = repo.Shared
	}
	var names []string
	for _, v := range found {
		if by[v.ExternalID] {
			names = append(names, v.Owner+"/"+v.Name)
		}
	}
	if len(names) > 0 {
		r.note("Shared with %s by others, and connected: %s.", r.row.Owner, some(names))
	}
}

// chosen are the repositories that the connection is for.
func (r *reading) chosen(listed []codehost.RepoInfo) []codehost.RepoInfo {
	if r.row.AllRepositories {
		return listed
	}
	by := make(map[string]codehost.RepoInfo, len(listed))
	for _, repo := range listed {
		by[strings.ToLower(repo.Below(r.row.Owner))] = repo
	}
	var out []codehost.RepoInfo
	for _, name := range store.FromJSON[[]string](r.row.Repositories) {
		if repo, there := by[strings.ToLower(name)]; there {
			out = append(out, repo)
		} else {
			r.note("%s is not there, or the account of the token does not see it.", name)
		}
	}
	return out
}

// each calls f for every repository, and tells how far a stage is. What the host
// will not let us near is f's to say; other errors end the stage.
func (r *reading) each(ctx context.Context, stage string, repos []store.Repository, f func(ctx context.Context, v store.Repository, at codehost.Repo) error) error {
	r.claim.Stage(stage, eachTime)
	for i, v := range repos {
		r.claim.Touch()
		if i%told == 0 {
			if err := r.claim.Progress(ctx, domain.JobProgress{Stage: stage, Done: i, Total: len(repos)}); err != nil {
				return err
			}
		}
		if err := f(ctx, v, codehost.Repo{Access: domain.HostID(r.row.ID), ExternalID: v.ExternalID, Owner: v.Owner, Name: v.Name}); err != nil {
			return err
		}
	}
	return r.claim.Progress(ctx, domain.JobProgress{Stage: stage, Done: len(repos), Total: len(repos)})
}

// members hands on who has rights on each repository.
func (r *reading) members(ctx context.Context, repos []store.Repository) error {
	return r.each(ctx, stageMembers, repos, func(ctx context.Context, v store.Repository, at codehost.Repo) error {
		members, err := r.host.Members(ctx, at)
		switch class := codehost.ClassOf(err); {
		case class == codehost.ClassTooLarge:
			r.note("%s/%s has more members than assay reads (at most %d). Their permissions here are unknown.", v.Owner, v.Name, codehost.MaxMembers)
			return nil
		case codehost.Gone(err):
			r.note("The host hides the permissions on %s/%s from the account of the token. Give the account administrator rights there.", v.Owner, v.Name)
			return nil
		case err != nil:
			return err
		}
		err = r.People.KeepMembers(ctx, r.tenant, r.access, v, members)
		if errs.Is(err, errs.NotFound) { // the repository went meanwhile
			return nil
		}
		return err
	})
}
