package tracking

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// webhooks registers our webhooks if the connection wants that, and otherwise looks for the ones that
// people have made: one for the owner, or else one in each repository.
func (r *synchronisation) webhooks(ctx context.Context, owner codehost.RepoOwner, repos []store.Repository) error {
	url := r.webhookURL(domain.ConnectionKind(r.row.Kind), r.row.ID)
	ownerHook, err := r.ownerHook(ctx, owner, url)
	if err != nil {
		return err
	}
	if err := r.Store.SetHookReportsRepositories(ctx, r.tenant, r.access.ID, ownerHook); err != nil {
		return err
	}
	if ownerHook {
		return r.removeRepeatedHooks(ctx, repos, url)
	}
	findHook := func(ctx context.Context, at codehost.Repo) (codehost.HookState, error) {
		return r.host.Hook(ctx, at, codehost.RepositoryHook(url, at.ExternalID))
	}
	if r.row.RegisterWebhooks {
		key, err := r.hookSecret(ctx)
		if err != nil {
			return err
		}
		findHook = func(ctx context.Context, at codehost.Repo) (codehost.HookState, error) {
			return r.host.EnsureHook(ctx, at, codehost.RepositoryHook(url, at.ExternalID), codehost.HookSecret(key, at.ExternalID))
		}
	}
	var silent []string
	err = r.each(ctx, stageWebhooks, repos, func(ctx context.Context, v store.Repository, at codehost.Repo) error {
		if r.archived[v.ExternalID] { // an archived repository sends no events
			return nil
		}
		state, err := findHook(ctx, at)
		name := v.Owner + "/" + v.Name
		switch class := codehost.ClassOf(err); {
		case codehost.IsAccessLost(err), class == codehost.ClassInvalid:
			if r.row.RegisterWebhooks {
				r.note("The webhook of %s could not be registered. %s", name, hostAnswer{words: hostWords(err, r.token)}.quote())
			}
			silent = append(silent, name)
		case err != nil:
			return err
		case state.ID == "":
			silent = append(silent, name)
		case !state.Active:
			r.counts["webhooksOff"]++
			r.note("%s", switchedOff(name, state.OffUntil))
		case len(state.Missing) > 0:
			r.note("The webhook of %s does not send %s.", name, strings.Join(state.Missing, ", "))
		default:
			r.counts["webhooks"]++
			if state.Restored {
				r.note("The webhook of %s was switched off at the host, as after deliveries that failed, and is switched on again.", name)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(silent) > 0 {
		r.noteManualWebhooks(silent, url)
	}
	return r.dropOwnerHook(ctx, owner, url)
}

// unhookLeft removes our webhooks from the repositories that left the connection in this synchronisation,
// if the account still may.
func (r *synchronisation) unhookLeft(ctx context.Context) error {
	if !r.row.RegisterWebhooks || len(r.left) == 0 {
		return nil
	}
	url := r.webhookURL(domain.ConnectionKind(r.row.Kind), r.row.ID)
	return r.each(ctx, stageWebhooks, r.left, func(ctx context.Context, v store.Repository, at codehost.Repo) error {
		err := r.host.RemoveHook(ctx, at, codehost.RepositoryHook(url, v.ExternalID))
		if codehost.IsAccessLost(err) {
			return nil
		}
		return err
	})
}

// switchedOff returns a note about a webhook that is off, with the fix.
func switchedOff(name string, until time.Time) string {
	end := "."
	if !until.IsZero() {
		end = " until " + until.UTC().Format("2006-01-02 15:04 MST") + "."
	}
	return "The webhook of " + name + " is switched off at the host" + end +
		" Switch it on there: on GitLab a test of the webhook that succeeds does. Until then heads without a review are looked for " +
		"every five minutes; commands in comments are not heard."
}

// maxNamedRepositories is how many repositories a note names.
const maxNamedRepositories = 5

// noteManualWebhooks adds a note that explains how people make the webhooks.
func (r *synchronisation) noteManualWebhooks(names []string, url string) {
	key := "the webhook secret of the connection"
	if r.row.SecretUS == 0 {
		key = "a webhook secret, which is made at the connection first"
	}
	r.note("No webhook was found in %s. Make one there, or one for the whole owner: address %s, content type application/json, %s, "+
		"and the events of pull requests (all of them), of their comments, and of the repository.",
		firstNames(names), url, key)
}

// firstNames lists the first few of several names.
func firstNames(names []string) string {
	if len(names) <= maxNamedRepositories {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNamedRepositories], ", "), len(names)-maxNamedRepositories)
}

// recentSecret is the age up to which a webhook secret counts as new. It is longer than any transaction that
// makes one.
const recentSecret = time.Minute

// hookSecret returns the newest webhook secret of the connection. If there is no secret, it makes one,
// which is never shown. It returns a new secret only when all receivers of deliveries accept it.
func (r *synchronisation) hookSecret(ctx context.Context) (secret.Secret, error) {
	all, err := r.Store.WebhookSecrets(ctx, r.tenant, r.row.ID)
	if err == nil && len(all) == 0 {
		nothing := func(context.Context, domain.Tenant, store.ProviderConnection) error { return nil }
		if _, err = r.rotate(ctx, r.tenant, r.row.ID, nothing); err == nil {
			all, err = r.Store.WebhookSecrets(ctx, r.tenant, r.row.ID)
		}
	}
	if err != nil {
		return secret.Secret{}, err
	}
	if len(all) == 0 { // a change of the connection's owner deleted it
		return secret.Secret{}, &jobs.Snooze{For: endCheckInterval, Why: "the connection was changed meanwhile"}
	}
	newest := all[0]
	if err := r.awaitReceivers(ctx, newest); err != nil {
		return secret.Secret{}, err
	}
	return r.Keyring.OpenSecret(ctx, secret.Scope{Tenant: r.tenant.ID, Table: "webhook_secrets", Row: newest.ID, Column: "sealed"},
		newest.Sealed)
}

// awaitReceivers waits for SecretDelay if a webhook secret is new, once in a synchronisation. The wait begins
// when the secret was read, because its transaction may have ended long after the secret's time.
func (r *synchronisation) awaitReceivers(ctx context.Context, w store.WebhookSecret) error {
	if r.awaited == w.ID || time.Duration(w.NowUS-w.CreatedUS)*time.Microsecond > recentSecret {
		return nil
	}
	over := time.NewTimer(r.SecretDelay)
	defer over.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-over.C:
		r.awaited = w.ID
		return nil
	}
}

const (
	// removalTime is how long the sealed token of a deleted connection is kept for the removal of its
	// webhooks.
	removalTime = time.Hour

	// endCheckInterval is the interval of checks whether the ends of reviews are shown on the host.
	endCheckInterval = 2 * time.Second

	removalTable = "hook_removals"
)

// leavePreparation is the preparation for a connection that leaves an owner: a copy of its token, with which its
// webhooks are removed. The zero value removes nothing.
type leavePreparation struct {
	row    store.HookRemoval
	access store.Access
	known  bool // data were read through the connection
}

// prepareLeave prepares for a connection to leave its present owner. Call it before the transaction of the change.
func (s *Service) prepareLeave(ctx context.Context, t domain.Tenant, row store.ProviderConnection) (l leavePreparation, err error) {
	l.access, err = s.Store.AccessOfConnection(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) {
		return leavePreparation{}, nil
	}
	if err != nil {
		return l, err
	}
	l.known = true
	token, err := s.token(ctx, t, row)
	if err != nil { // without the token the webhooks cannot be removed
		s.Logger.WarnContext(ctx, "the token of a connection cannot be opened; its webhooks stay at the host", "connection", row.ID, "error", err)
		return l, nil
	}
	l.row = store.HookRemoval{ID: domain.NewID("hkr"), Tenant: t.ID, Access: l.access.ID, Kind: row.Kind, BaseURL: row.BaseURL,
		Owner: row.Owner, Username: row.Username,
		HookURL: s.webhookURL(domain.ConnectionKind(row.Kind), row.ID)}
	l.row.Token, err = s.Keyring.SealSecret(ctx, RemovalScope(t, l.row.ID), token)
	return l, err
}

// RemovalScope returns the scope of the sealed token copy of a deleted connection.
func RemovalScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: removalTable, Row: id, Column: "token"}
}

// finishLeave ends the use of a connection, in the transaction that removes it: runs stop, repositories are
// disconnected, and a job removes the webhooks.
func (s *Service) finishLeave(ctx context.Context, t domain.Tenant, connection string, l leavePreparation) error {
	if !l.known {
		return nil
	}
	if err := s.Runs.Disconnected(ctx, t, l.access.ID); err != nil {
		return err
	}
	if err := s.Store.EndAccesses(ctx, t, connection); err != nil || l.row.ID == "" {
		return err
	}
	if err := s.Store.AddHookRemoval(ctx, t, l.row, removalTime); err != nil {
		return err
	}
	_, err := s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindUnhook, FairKey: t.ID, Subject: l.row.ID, Tenant: t.ID})
	return err
}

// Unhook is the job that removes the webhooks of a connection that was deleted or has another owner now. It
// first waits until the ends of reviews are shown on the host. It is tried for [removalTime] at most.
func (s *Service) Unhook(ctx context.Context, c *jobs.Claim) error {
	t := domain.Tenant{ID: c.Job.Tenant}
	row, err := s.Store.HookRemoval(ctx, t, c.Job.Subject)
	if errs.Is(err, errs.NotFound) { // removed already, or the time is over
		return s.Store.DropHookRemoval(ctx, t, c.Job.Subject)
	}
	if err != nil {
		return err
	}
	token, err := s.Keyring.OpenSecret(ctx, RemovalScope(t, row.ID), row.Token)
	if err != nil {
		return err
	}
	ended, err := s.Store.Access(ctx, row.Access)
	if err != nil {
		return err
	}
	conn := store.ProviderConnection{ID: row.ID, Tenant: t.ID, Kind: row.Kind, BaseURL: row.BaseURL, Owner: row.Owner, Username: row.Username}
	now, err := s.Store.ProviderConnection(ctx, t, ended.Connection)
	switch {
	case err == nil: // refusals are stored at this connection
		conn.ID, conn.Version = now.ID, now.Version
	case !errs.Is(err, errs.NotFound):
		return err
	}
	host, err := s.Hosts.Connection(ctx, conn, token)
	if err != nil {
		return err
	}
	busy, err := s.Store.AccessBusy(ctx, t, row.Access)
	if err != nil {
		return err
	}
	if busy { // the same token copy shows them, and it goes with the webhooks
		return &jobs.Snooze{For: endCheckInterval, Why: "the ends of reviews are still shown on the host"}
	}
	kept, err := s.keptHooks(ctx, t, row, ended)
	if err != nil {
		return err
	}
	repos, err := s.Store.AccessRepositories(ctx, t, row.Access)
	if err != nil {
		return err
	}
	c.Stage(stageWebhooks, eachTime)
	for _, v := range repos {
		if kept.repositories[v.ExternalID] {
			continue
		}
		c.Touch()
		at := codehost.Repo{Access: domain.HostID(row.ID), ExternalID: v.ExternalID, Owner: v.Owner, Name: v.Name}
		err := host.RemoveHook(ctx, at, codehost.RepositoryHook(row.HookURL, v.ExternalID))
		if codehost.IsAccessLost(err) { // another person made it, or the token ended with the connection
			continue
		}
		if err != nil {
			return jobs.Waiting(err)
		}
	}
	if !kept.owner {
		if err := s.removeOwnerHook(ctx, conn, host, ended, row.HookURL, token); err != nil && !codehost.IsAccessLost(err) {
			return jobs.Waiting(err)
		}
	}
	return s.Store.DropHookRemoval(ctx, t, row.ID)
}

// removeOwnerHook removes the webhook of an ended access's account, under the account's present name.
func (s *Service) removeOwnerHook(ctx context.Context, conn store.ProviderConnection, host codehost.Connection,
	ended store.Access, url string, token secret.Secret) error {
	if finder, can := host.(codehost.OwnerFinder); can {
		now, err := finder.OwnerNow(ctx, ended.AccountID, nil)
		if err != nil { // unknown: another account may have the former name
			return err
		}
		if isAnother(now.Login, conn) {
			conn.Owner = now.Login
			if host, err = s.Hosts.Connection(ctx, conn, token); err != nil {
				return err
			}
		}
	}
	hooks, has := host.(codehost.OwnerHooks)
	if !has {
		return nil
	}
	return hooks.RemoveOwnerHook(ctx, url, false)
}

// keptHooks are the webhooks of an ended access that the connection uses again.
type keptHooks struct {
	owner        bool
	repositories map[domain.HostID]bool
}

// keptHooks returns the webhooks of an ended access that the connection still uses: the account was only
// renamed, or its repositories moved to the connection's new account. It waits for the synchronisation of
// the connection, which decides this.
func (s *Service) keptHooks(ctx context.Context, t domain.Tenant, row store.HookRemoval, ended store.Access) (kept keptHooks, err error) {
	if s.webhookURL(domain.ConnectionKind(row.Kind), ended.Connection) != row.HookURL { // another connection has the account now
		return kept, nil
	}
	last, err := s.Store.LastJobs(ctx, t, domain.KindSync, []string{ended.Connection})
	if err != nil {
		return kept, err
	}
	if j, ok := last[ended.Connection]; ok && (j.State == domain.JobQueued || j.State == domain.JobRunning) {
		return kept, &jobs.Snooze{For: endCheckInterval, Why: "the connection is synchronised with its new owner"}
	}
	now, err := s.Store.AccessOfConnection(ctx, t, ended.Connection)
	if errs.Is(err, errs.NotFound) || err == nil && now.Host != store.HostAddress(row.BaseURL) {
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	repos, err := s.Store.AccessRepositories(ctx, t, now.ID)
	kept = keptHooks{owner: now.AccountID == ended.AccountID, repositories: map[domain.HostID]bool{}}
	for _, v := range repos {
		if v.State == "active" {
			kept.repositories[v.ExternalID] = true
		}
	}
	return kept, err
}

// unhookDead deletes the token of a removal that was given up.
func (s *Service) unhookDead(ctx context.Context, j store.Job, _ jobs.Death) error {
	return s.Store.DropHookRemoval(ctx, domain.Tenant{ID: j.Tenant}, j.Subject)
}
