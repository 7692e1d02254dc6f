package tracking

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/store"
)

// ownerHook registers our webhook of the owner, which reports all repositories and new ones, or looks for
// one that a person has made. It reports whether a complete webhook exists. A connection that names its
// repositories gets no such webhook, because it would report others too.
func (r *synchronisation) ownerHook(ctx context.Context, owner codehost.RepoOwner, url string) (told bool, err error) {
	hooks, has := r.host.(codehost.OwnerHooks)
	if !has || !owner.Organization {
		return false, nil
	}
	var state codehost.HookState
	switch {
	case !r.row.AllRepositories:
	case r.row.RegisterWebhooks:
		key, keyErr := r.hookSecret(ctx)
		if keyErr != nil {
			return false, keyErr
		}
		state, err = hooks.EnsureOwnerHook(ctx, url, key)
	default:
		state, err = hooks.OwnerHook(ctx, url)
	}
	switch class := codehost.ClassOf(err); {
	case codehost.IsAccessLost(err), class == codehost.ClassInvalid:
		// The account does not own the organisation, or the token lacks the permission.
		return false, nil
	case err != nil:
		return false, err
	case state.ID == "":
		return false, nil
	case !state.Active:
		r.note("%s", switchedOff(owner.Login, state.OffUntil))
		return false, nil
	case len(state.Missing) > 0:
		r.note("The webhook of %s does not send %s.", owner.Login, strings.Join(state.Missing, ", "))
		return false, nil
	case state.Restored:
		r.note("The webhook of %s was switched off at the host, as after deliveries that failed, and is switched on again.", owner.Login)
	}
	return true, nil
}

// dropOwnerHook removes our webhook of the owner that was made while the connection covered all
// repositories. Call it after the named repositories have their own.
func (r *synchronisation) dropOwnerHook(ctx context.Context, owner codehost.RepoOwner, url string) error {
	hooks, has := r.host.(codehost.OwnerHooks)
	if !has || !owner.Organization || r.row.AllRepositories || !r.row.RegisterWebhooks {
		return nil
	}
	if err := hooks.RemoveOwnerHook(ctx, url, true); err != nil && !codehost.IsAccessLost(err) {
		return err
	}
	return nil
}

// removeRepeatedHooks counts the repositories that the owner's webhook covers, and removes our earlier webhooks in
// them.
func (r *synchronisation) removeRepeatedHooks(ctx context.Context, repos []store.Repository, url string) error {
	hooks, has := r.host.(codehost.OwnerHooks)
	return r.each(ctx, stageWebhooks, repos, func(ctx context.Context, v store.Repository, at codehost.Repo) error {
		if r.archived[v.ExternalID] {
			return nil
		}
		r.counts["webhooks"]++
		if !has || !r.row.RegisterWebhooks {
			return nil
		}
		err := hooks.RemoveRepeated(ctx, at, codehost.RepositoryHook(url, at.ExternalID))
		if codehost.IsAccessLost(err) { // the account does not manage the repository: both webhooks send the same bodies, which act once
			return nil
		}
		return err
	})
}
