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

// The stages of a synchronisation, as its progress names them.
const (
	stageHost         = "host"
	stageRepositories = "repositories"
	stageMembers      = "members"
	stageWebhooks     = "webhooks"
)

// listTime is how long the list of repositories may take: 10,000 repositories come in 200 pages (design
// choice).
const listTime = 10 * time.Minute

// eachTime is how long one repository may take in a stage (design choice).
const eachTime = 5 * time.Minute

// readPatience is how long a request of a synchronisation waits for the sweeps' share of requests. The
// share renews each minute, and a synchronisation that ends would start again from its beginning.
const readPatience = 90 * time.Second

// progressInterval is the number of repositories between two progress reports of a stage.
const progressInterval = 20

// People stores the rights of people on the repositories of connections.
type People interface {
	// KeepMembers replaces the stored members of a repository.
	KeepMembers(ctx context.Context, t domain.Tenant, a store.Access, repo store.Repository, members []codehost.Member) error
}

// synchronisation is one synchronisation of a connection.
type synchronisation struct {
	*Service
	claim  *jobs.Claim
	tenant domain.Tenant
	row    store.ProviderConnection
	host   codehost.Connection
	token  secret.Secret
	access store.Access

	counts   map[string]int
	notes    []string
	archived map[domain.HostID]bool // repositories that accept no writes
	left     []store.Repository     // repositories that left the connection
	awaited  string                 // id of the webhook secret that all receivers of deliveries accept
}

// do reads everything and stores the outcome.
func (r *synchronisation) do(ctx context.Context, owner codehost.RepoOwner) error {
	err := r.all(codehost.WithSweep(ctx, readPatience), owner)
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
		return r.storeFailure(ctx, err)
	}
}

// conflict ends the synchronisation if another connection of the tenant has the same owner.
func (r *synchronisation) conflict(ctx context.Context, err error) error {
	const message = "Another connection of the tenant has this owner on this host. Delete one of the two."
	if _, err := r.Store.SetProviderState(ctx, r.tenant, r.row.ID, r.row.Version, domain.ConnectionBroken, message); err != nil {
		return err
	}
	r.Logger.WarnContext(ctx, "a connection has the owner of another one", "connection", r.row.ID, "error", err)
	return r.claim.Outcome(ctx, domain.JobOutcome{}, message)
}

// storeFailure stores the host's failure, and has the job tried again if that may help.
func (r *synchronisation) storeFailure(ctx context.Context, err error) error {
	a := hostAnswer{failed: err, words: hostWords(err, r.token)}
	problem := strings.TrimSuffix(a.sentence()+" "+a.quote(), " ")
	again := codehost.ClassOf(err) != codehost.ClassTooLarge
	if err := r.claim.Outcome(ctx, domain.JobOutcome{Counts: r.counts, Notes: r.notes}, problem); err != nil {
		return err
	}
	if again && r.claim.Job.Attempts+1 < maxTries {
		return err
	}
	return nil
}

// note adds a sentence for people.
func (r *synchronisation) note(format string, args ...any) {
	if len(r.notes) < domain.MaxJobNotes {
		r.notes = append(r.notes, clip.Bytes(Line(fmt.Sprintf(format, args...), r.token), maxMessage))
	}
}

func (r *synchronisation) all(ctx context.Context, owner codehost.RepoOwner) (err error) {
	r.access, err = r.Store.UpsertConnectionAccess(ctx, r.tenant,
		store.Access{Kind: r.row.Kind, Connection: r.row.ID, Host: r.row.BaseURL, AccountID: owner.ID, AccountLogin: owner.Login})
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

// repositories replaces the stored repositories by the listed ones that the connection covers, and returns
// the active ones.
func (r *synchronisation) repositories(ctx context.Context) ([]store.Repository, error) {
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
	for _, repo := range r.chosenRepositories(listed) {
		r.archived[repo.ExternalID] = repo.Archived
		found = append(found, store.Repository{ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name,
			DefaultBranch: repo.DefaultBranch, Private: repo.Private, Internal: repo.Internal, Intake: intake,
			ReviewFromUS: r.reviewFrom(repo)})
	}
	changes, taken, err := r.Store.SyncAccessRepositories(ctx, r.tenant, r.access.ID, found)
	if err != nil {
		return nil, err
	}
	r.left = changes.Gone
	r.noteShared(found, listed)
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
	slices.SortStableFunc(active, func(a, b store.Repository) int { // new ones first, because the others already have members and webhooks
		return cmp.Compare(b.CreatedUS, a.CreatedUS)
	})
	r.counts["repositories"], r.counts["added"], r.counts["changed"] = len(active), len(changes.Added), len(changes.Changed)
	r.counts["disconnected"], r.counts["taken"], r.counts["webhooks"] = len(changes.Gone), len(taken), 0
	return active, nil
}

// reviewFrom returns from when on pull requests of a new repository are reviewed, in microseconds: from its
// creation on the host and the connection's creation for the owner. It returns 0 if the host does not
// report the creation, or if others share the repository with the owner, because anyone may share a
// repository with a group that they see.
func (r *synchronisation) reviewFrom(repo codehost.RepoInfo) int64 {
	if repo.CreatedAt.IsZero() || repo.Shared {
		return 0
	}
	since := max(repo.CreatedAt.UnixMicro(), r.row.CreatedUS, r.access.CreatedUS)
	return since - since%time.Second.Microseconds() // hosts report the opening of pull requests in whole seconds
}

// noteShared adds a note that names the repositories that others share with the owner.
func (r *synchronisation) noteShared(found []store.Repository, listed []codehost.RepoInfo) {
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
		r.note("Shared with %s by others, and connected: %s.", r.row.Owner, firstNames(names))
	}
}

// chosenRepositories returns the repositories that the connection covers.
func (r *synchronisation) chosenRepositories(listed []codehost.RepoInfo) []codehost.RepoInfo {
	if r.row.AllRepositories {
		return listed
	}
	by := make(map[string]codehost.RepoInfo, len(listed))
	for _, repo := range listed {
		by[strings.ToLower(repo.NameWithin(r.row.Owner))] = repo
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

// each calls f for every repository and reports the stage's progress. f handles repositories that the host
// hides; other errors end the stage.
func (r *synchronisation) each(ctx context.Context, stage string, repos []store.Repository,
	f func(ctx context.Context, v store.Repository, at codehost.Repo) error) error {
	r.claim.Stage(stage, eachTime)
	for i, v := range repos {
		r.claim.Touch()
		if i%progressInterval == 0 {
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

// members passes on the rights on each repository.
func (r *synchronisation) members(ctx context.Context, repos []store.Repository) error {
	return r.each(ctx, stageMembers, repos, func(ctx context.Context, v store.Repository, at codehost.Repo) error {
		members, err := r.host.Members(ctx, at)
		switch class := codehost.ClassOf(err); {
		case class == codehost.ClassTooLarge:
			r.note("%s/%s has more members than assay reads (at most %d). Their permissions here are unknown.", v.Owner, v.Name, codehost.MaxMembers)
			return nil
		case codehost.IsAccessLost(err):
			r.note("The host hides the permissions on %s/%s from the account of the token. Give the account administrator rights there.",
				v.Owner, v.Name)
			return nil
		case err != nil:
			return err
		}
		err = r.People.KeepMembers(ctx, r.tenant, r.access, v, members)
		if errs.Is(err, errs.NotFound) { // the repository was deleted meanwhile
			return nil
		}
		return err
	})
}
