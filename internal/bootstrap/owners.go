package bootstrap

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The configuration names accounts by their login names, and a login name can be
// given up and taken by somebody else. So the host is asked once which account
// has it, when the name is met for the first time, and from then on only that
// account's number at that host counts. The numbers stand beside what was applied.

// askTime bounds one question about an account, askAgain is how long the host is
// left alone after one in vain, and askRefused after it has said no (design choices).
const (
	askTime    = 5 * time.Second
	askAgain   = 10 * time.Second
	askRefused = 30 * time.Second
)

// ownerKey is where the number of an account is remembered.
func ownerKey(api, login string) string {
	return ownerPrefix + api + " " + strings.ToLower(login)
}

const ownerPrefix = "github.owner "

// Place names the tenant of an installation that nobody has placed: those of the
// accounts that the configuration names go to the first tenant, everybody else
// waits for an administrator (a stranger must not land in somebody's tenant).
// While the host cannot say which account a name belongs to, an installation on
// an account of that name is an error, the host's: nobody may take its events
// for those of a stranger, and what waits for the error to pass is not lost.
func (b *Bootstrap) Place(r Result) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(ctx context.Context, app string, i codehost.Installation) (string, error) {
		if !r.concerns(app, i) {
			return "", nil
		}
		told, err := b.look(ctx, i.AccountLogin)
		if err != nil {
			return "", err
		}
		if slices.Contains(told.ids, i.AccountID) {
			return r.Tenant, nil
		}
		return "", told.silent[strings.ToLower(i.AccountLogin)]
	}
}

// Among is [Bootstrap.Place] for accounts that [Bootstrap.Owners] has told: it
// reads nothing, so that many installations are placed by one look, and leaves
// out those that the host has not told.
func (r Result) Among(owners []domain.HostID) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(_ context.Context, app string, i codehost.Installation) (string, error) {
		if !r.concerns(app, i) || !slices.Contains(owners, i.AccountID) {
			return "", nil
		}
		return r.Tenant, nil
	}
}

// concerns reports whether the configuration may have something to say of an
// installation.
func (r Result) concerns(app string, i codehost.Installation) bool {
	return r.Tenant != "" && app == r.App && i.AccountID != ""
}

// told is what the host has said of the names in the configuration.
type told struct {
	ids    []domain.HostID
	silent map[string]error // by login name in small letters: why the host has not said
}

// Owners returns the numbers of the accounts that the configuration names, and
// asks the host for those that are not known yet. The log names those that the
// host does not tell; they are left out. It may be called at any time, and by
// many processes at once.
func (b *Bootstrap) Owners(ctx context.Context) ([]domain.HostID, error) {
	told, err := b.look(ctx, "")
	return told.ids, err
}

// look tells the accounts. Of those that are not known the host is asked: of that
// with one login name, where one is given, else of all.
func (b *Bootstrap) look(ctx context.Context, login string) (told, error) {
	if b.Config.Tenant == "" || b.Config.GitHub.AppID == 0 || len(b.Config.GitHub.Owner) == 0 {
		return told{}, nil
	}
	app, err := b.Store.App(ctx, appID)
	if errs.Is(err, errs.NotFound) {
		return told{}, nil
	}
	if err != nil {
		return told{}, err
	}
	for tries := 0; ; tries++ {
		told, err := b.owners(operator(ctx), app, login)
		if raced(err) && tries < 3 {
			continue // another process has written them down
		}
		return told, err
	}
}

func (b *Bootstrap) owners(ctx context.Context, app store.App, only string) (told, error) {
	known, err := b.recall(ctx)
	if err != nil {
		return told{}, err
	}
	out, found := told{silent: map[string]error{}}, map[string]domain.HostID{}
	for _, login := range b.Config.GitHub.Owner {
		if login = strings.TrimSpace(login); login == "" {
			continue
		}
		id := domain.HostID(known.before[ownerKey(app.APIURL, login)])
		if id == "" && (only == "" || strings.EqualFold(only, login)) {
			if id, err = b.askAccount(ctx, app.ID, login); err != nil {
				out.silent[strings.ToLower(login)] = err
			}
			if id != "" {
				found[login] = id
			}
		}
		if id != "" {
			out.ids = append(out.ids, id)
		}
	}
	if len(found) == 0 {
		return out, nil
	}
	return out, b.Store.InTx(ctx, func(ctx context.Context) error {
		for login, id := range found {
			known.now[ownerKey(app.APIURL, login)] = string(id)
			if err := b.Audit.Record(ctx, audit.Act{Action: "bootstrap.owner", Target: audit.Target{Kind: "account", ID: string(id), Name: login},
				Note: "Installations on this account go to the tenant of the configuration."}); err != nil {
				return err
			}
		}
		return known.keep(ctx)
	})
}

// silence is a question about an account that was in vain.
type silence struct {
	until time.Time // the host is not asked before
	err   error     // nil: only a person can place installations of that name
}

// askAccount asks the host for the id of an account, one process's questions
// one after the other. "" without an error: the host knows no account of that name,
// or does not let the app ask for it. Within [askAgain] after a question in vain,
// or for as long as the host's limit says, that answer is repeated.
func (b *Bootstrap) askAccount(ctx context.Context, app, login string) (domain.HostID, error) {
	if b.Account == nil {
		return "", nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.asked[login]
	if left := time.Until(last.until); left > 0 {
		if limit, is := errors.AsType[*codehost.Error](last.err); is && limit.Class == codehost.ClassLimited {
			again := *limit
			again.RetryAfter = left
			return "", &again
		}
		return "", last.err
	}
	bounded, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	id, err := b.Account(bounded, app, login)
	switch {
	case err == nil && id != "":
		return id, nil
	case ctx.Err() != nil: // no word of the host's
		return "", ctx.Err()
	}
	wait := askAgain
	switch codehost.ClassOf(err) {
	case codehost.ClassLimited:
		wait = max(codehost.RetryAfter(err), time.Second)
	case codehost.ClassNotFound, codehost.ClassForbidden:
		wait = askRefused
	}
	b.Logger.WarnContext(ctx, "the code host does not say which account this is: installations on it wait to be placed until it does, or until an administrator places them (ASSAY_BOOTSTRAP_GITHUB_OWNER)", "account", login, "error", err)
	if wait == askRefused {
		err = nil
	}
	if b.asked == nil {
		b.asked = map[string]silence{}
	}
	b.asked[login] = silence{until: time.Now().Add(wait), err: err}
	return "", err
}

// forgetOwners drops the numbers of accounts that the configuration no longer
// names, and reports whether there were any: one that is named again is asked
// for again.
func (b *Bootstrap) forgetOwners(known *applied) (dropped bool) {
	for name := range known.before {
		rest, is := strings.CutPrefix(name, ownerPrefix)
		_, login, _ := strings.Cut(rest, " ")
		if is && !slices.ContainsFunc(b.Config.GitHub.Owner, func(o string) bool { return strings.EqualFold(strings.TrimSpace(o), login) }) {
			delete(known.before, name)
			delete(known.now, name) // there by now, where something has been kept in this start
			dropped = true
		}
	}
	return dropped
}
