package bootstrap

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The configuration names accounts by their login names, and a login name can be
// given up and taken by somebody else. So the host is asked once which account
// has it, when the name is met for the first time, and from then on only that
// account's number at that host counts. The numbers stand beside what was applied.

// askTime bounds one question about an account, and askAgain is how long the host
// is left alone after one in vain (design choices).
const (
	askTime  = 10 * time.Second
	askAgain = 30 * time.Second
)

// ownerKey is where the number of an account is remembered.
func ownerKey(api, login string) string {
	return ownerPrefix + api + " " + strings.ToLower(login)
}

const ownerPrefix = "github.owner "

// Place names the tenant of an installation that nobody has placed: those of the
// accounts that the configuration names go to the first tenant, everybody else
// waits for an administrator (a stranger must not land in somebody's tenant).
// Where the host could not yet say which account a name belongs to, its
// installation waits as well.
func (b *Bootstrap) Place(r Result) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(ctx context.Context, app string, i codehost.Installation) (string, error) {
		return r.place(app, i, func() ([]int64, error) { return b.Owners(ctx) })
	}
}

// Among is [Bootstrap.Place] for accounts that [Bootstrap.Owners] has told: it
// reads nothing, so that many installations are placed by one look.
func (r Result) Among(owners []int64) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(_ context.Context, app string, i codehost.Installation) (string, error) {
		return r.place(app, i, func() ([]int64, error) { return owners, nil })
	}
}

func (r Result) place(app string, i codehost.Installation, owners func() ([]int64, error)) (string, error) {
	if r.Tenant == "" || app != r.App || i.AccountID <= 0 {
		return "", nil
	}
	ids, err := owners()
	if err != nil || !slices.Contains(ids, i.AccountID) {
		return "", err
	}
	return r.Tenant, nil
}

// Owners returns the numbers of the accounts that the configuration names, and
// asks the host for those that are not known yet. The log names those that the
// host does not tell; they are left out. It may be called at any time, and by
// many processes at once.
func (b *Bootstrap) Owners(ctx context.Context) ([]int64, error) {
	if b.Config.Tenant == "" || b.Config.GitHub.AppID == 0 || len(b.Config.GitHub.Owner) == 0 {
		return nil, nil
	}
	app, err := b.Store.App(ctx, appID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		ids, err := b.owners(operator(ctx), app)
		if (errs.Is(err, errs.NotFound) || errs.Is(err, errs.Conflict)) && tries < 3 {
			continue // another process has written them down
		}
		return ids, err
	}
}

func (b *Bootstrap) owners(ctx context.Context, app store.App) (ids []int64, err error) {
	known, err := b.recall(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for _, login := range b.Config.GitHub.Owner {
		if login = strings.TrimSpace(login); login == "" {
			continue
		}
		id, _ := strconv.ParseInt(known.before[ownerKey(app.APIURL, login)], 10, 64) // 0: not known
		if id == 0 {
			if id = b.askAccount(ctx, app.ID, login); id == 0 {
				continue
			}
			found[login] = id
		}
		ids = append(ids, id)
	}
	if len(found) == 0 {
		return ids, nil
	}
	return ids, b.Store.InTx(ctx, func(ctx context.Context) error {
		for login, id := range found {
			known.now[ownerKey(app.APIURL, login)] = strconv.FormatInt(id, 10)
			if err := b.Audit.Record(ctx, audit.Act{Action: "bootstrap.owner", Target: audit.Target{Kind: "account", ID: strconv.FormatInt(id, 10), Name: login},
				Note: "Installations on this account go to the tenant of the configuration."}); err != nil {
				return err
			}
		}
		return known.keep(ctx)
	})
}

// askAccount asks the host for the number of an account; 0: it does not say.
func (b *Bootstrap) askAccount(ctx context.Context, app, login string) int64 {
	b.mu.Lock()
	last, tried := b.asked[login]
	b.mu.Unlock()
	if b.Account == nil || tried && time.Since(last) < askAgain {
		return 0
	}
	bounded, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	id, err := b.Account(bounded, app, login)
	if err == nil && id > 0 {
		return id
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked == nil {
		b.asked = map[string]time.Time{}
	}
	b.asked[login] = time.Now()
	b.Logger.WarnContext(ctx, "the code host does not say which account this is: installations on it wait to be placed until it does (ASSAY_BOOTSTRAP_GITHUB_OWNER)", "account", login, "error", err)
	return 0
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
