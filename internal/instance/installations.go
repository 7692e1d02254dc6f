package instance

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Installation is an installation of an app for instance admins: its account and its tenant, without its
// content.
type Installation struct {
	ID          string    `json:"id" audit:"ignore"`
	AppID       string    `json:"appId" audit:"ignore"`
	ExternalID  int64     `json:"externalId" audit:"ignore" doc:"The host's number"`
	Account     string    `json:"account" audit:"track"`
	AccountType string    `json:"accountType" audit:"ignore"`
	State       string    `json:"state" enum:"unplaced,active,suspended,deleted" audit:"track"`
	TenantID    string    `json:"tenantId,omitempty" audit:"track" doc:"Absent while it waits"`
	TenantName  string    `json:"tenantName,omitempty" audit:"ignore"`
	CreatedAt   time.Time `json:"createdAt" audit:"ignore"`
}

func shownInstallation(i store.Installation, names map[string]string) Installation {
	return Installation{ID: i.ID, AppID: i.AppID, ExternalID: numericID(i.ExternalID), Account: i.AccountLogin,
		AccountType: i.AccountType, State: string(i.State), TenantID: i.Tenant,
		TenantName: names[i.Tenant], CreatedAt: store.Time(i.CreatedUS)}
}

func (i Installation) target() audit.Target {
	return audit.Target{Kind: "installation", ID: i.ID, Name: i.Account}
}

func (s *Service) tenantNames(ctx context.Context) (map[string]string, error) {
	all, err := s.Store.Tenants(ctx)
	out := map[string]string{}
	for _, t := range all {
		out[t.ID] = t.Name
	}
	return out, err
}

// Installations lists the installations in a state, or all if state is "", newest first.
func (s *Service) Installations(ctx context.Context, state string, p Page) ([]Installation, error) {
	names, err := s.tenantNames(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.Installations(ctx, domain.InstallationState(state))
	out := []Installation{}
	for _, r := range pageOf(rows, p, func(r store.Installation) store.Cursor { return store.Cursor{US: r.CreatedUS, ID: r.ID} }) {
		out = append(out, shownInstallation(r, names))
	}
	return out, err
}

// InstallationPlace names the tenant of an installation.
type InstallationPlace struct {
	TenantID string `json:"tenantId" minLength:"1" maxLength:"100"`
}

// PlacedInstallation is an installation that was just assigned to a tenant.
type PlacedInstallation struct {
	Installation
	Repositories *int `json:"repositories,omitempty" doc:"How many repositories the host listed; absent where it did not answer: then they appear with their next event"`
}

// PlaceByHand assigns a waiting installation to a tenant. An assigned installation never moves: Conflict.
// The repositories are read from the host afterwards. If the host does not answer, they come with their
// next event.
func (s *Service) PlaceByHand(ctx context.Context, id string, in InstallationPlace) (PlacedInstallation, error) {
	var out PlacedInstallation
	var row store.Installation
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		names, err := s.tenantNames(ctx)
		if err != nil {
			return audit.Act{}, err
		}
		before, err := s.Store.Installation(ctx, id)
		if err != nil {
			return audit.Act{}, err
		}
		if _, ok := names[in.TenantID]; !ok {
			return audit.Act{}, field.Wrong("/tenantId", "must be the id of a tenant")
		}
		if row, err = s.assignInstallation(ctx, domain.Tenant{ID: in.TenantID}, before, "It was placed by hand."); err != nil {
			return audit.Act{}, err
		}
		out.Installation = shownInstallation(row, names)
		return audit.Act{Action: "installation.place", Target: out.target(), Before: shownInstallation(before, names),
			After: out.Installation}, nil
	})
	if err != nil {
		return out, err
	}
	if n, err := s.fetchRepositories(ctx, row); err == nil {
		out.Repositories = &n
	}
	return out, nil
}

// assignInstallation assigns an installation and writes the tenant's audit entry, in the transaction of ctx.
func (s *Service) assignInstallation(ctx context.Context, t domain.Tenant, i store.Installation, why string) (store.Installation, error) {
	ok, err := s.Store.PlaceInstallation(ctx, t, i.ID)
	if err == nil && !ok {
		err = errs.New(errs.Conflict, "placed", "The installation belongs to a tenant, and a placed one is never moved.")
	}
	if err != nil {
		return i, err
	}
	if i, err = s.Store.Installation(ctx, i.ID); err != nil {
		return i, err
	}
	return i, s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "installation.place",
		Target: audit.Target{Kind: "installation", ID: i.ID, Name: i.AccountLogin}, Note: why})
}

// fetchRepositories reads the repositories of an assigned installation from the host and returns their number. After a
// failure they come with their next event.
func (s *Service) fetchRepositories(ctx context.Context, i store.Installation) (listed int, err error) {
	if s.Hosts == nil || i.State != domain.InstallationActive {
		return 0, errs.Absent()
	}
	host, err := s.Hosts.App(ctx, i.AppID)
	if err != nil {
		return 0, err
	}
	repositories, err := host.InstallationRepositories(ctx, i.ExternalID)
	if err != nil {
		return 0, err
	}
	return len(repositories), policy.UpsertRepositories(ctx, s.Store, i, repositories)
}

// Place returns the tenant for an unassigned installation according to the setting installationPlacement;
// "" leaves it waiting. An account that already belongs to a tenant goes there. Do not call it in a
// transaction.
func (s *Service) Place(ctx context.Context, app string, i codehost.Installation) (tenant string, err error) {
	row, err := s.Store.App(ctx, app)
	if err != nil {
		return "", err
	}
	if tenant, err = s.Store.TenantOfAccount(ctx, row.APIURL, i.AccountID); err != nil || tenant != "" {
		return tenant, err
	}
	v, err := s.Settings(ctx)
	if err != nil {
		return "", err
	}
	switch v.InstallationPlacement {
	case PlaceAppOwner:
		if row.OwnerID == "" || row.OwnerID != i.AccountID {
			return "", nil
		}
		all, err := s.Store.Tenants(ctx)
		if err != nil || len(all) == 0 {
			return "", err
		}
		return all[0].ID, nil
	case PlacePerTenant:
		return s.tenantOfAccount(ctx, row, i)
	}
	return "", nil
}

// tenantOfAccount returns the tenant of an account, and creates it at most once.
func (s *Service) tenantOfAccount(ctx context.Context, app store.App, i codehost.Installation) (string, error) {
	other := errs.New(errs.Conflict, "already_exists", "Another process has made it.")
	var created string
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		t, err := s.Store.CreateTenant(ctx, i.AccountLogin)
		if err != nil {
			return audit.Act{}, err
		}
		ok, err := s.Store.MakeTenantOfAccount(ctx, domain.Tenant{ID: t.ID}, app.APIURL, i.AccountID)
		if err == nil && !ok {
			err = other
		}
		created = t.ID
		return audit.Act{Action: "tenant.create", Target: audit.Target{Kind: "tenant", ID: t.ID, Name: t.Name},
			Note: "Made for an account that installed the app."}, err
	})
	if errs.Is(err, errs.Conflict) {
		return s.Store.TenantOfAccount(ctx, app.APIURL, i.AccountID)
	}
	return created, err
}

// PlaceWaiting assigns the waiting installations for which place returns a tenant. why goes into the
// tenant's audit log. An installation that cannot be assigned now keeps waiting. Errors are those of
// listing the waiting ones.
func (s *Service) PlaceWaiting(ctx context.Context, place func(ctx context.Context, app string,
	i codehost.Installation) (string, error), why string) error {
	waiting, err := s.Store.Installations(ctx, domain.InstallationUnplaced)
	if err != nil {
		return err
	}
	for _, i := range waiting {
		tenant, err := place(ctx, i.AppID, codehost.Installation{ID: i.ExternalID, AccountID: i.AccountID, AccountLogin: i.AccountLogin,
			AccountType: i.AccountType})
		if err != nil || tenant == "" {
			continue
		}
		var row store.Installation
		if err := s.Store.InTx(ctx, func(ctx context.Context) (err error) {
			row, err = s.assignInstallation(ctx, domain.Tenant{ID: tenant}, i, why)
			return err
		}); err == nil {
			_, _ = s.fetchRepositories(ctx, row) // after a failure they come with their next event
		}
	}
	return nil
}

// InstallStart is the address at which a browser installs an app.
type InstallStart struct {
	URL string `json:"url" doc:"Of the code host, with a state that is bound to the person, works once and for an hour"`
}

// InstallBegin chooses the app to install.
type InstallBegin struct {
	AppID string `json:"appId,omitempty" maxLength:"100" doc:"Id of a code-host app; needed where there are several"`
}

// BeginInstall returns the address at which a person installs an app for a tenant.
func (s *Service) BeginInstall(ctx context.Context, t domain.Tenant, user string, in InstallBegin) (InstallStart, error) {
	return s.beginInstall(ctx, BindingOf(user), installState{Tenant: t.ID, User: user}, in.AppID)
}

// BeginFirstInstall does the same in the first run.
func (s *Service) BeginFirstInstall(ctx context.Context, cookie, app string) (InstallStart, error) {
	return s.beginInstall(ctx, Binding(cookie), installState{}, app)
}

type installState struct {
	App    string `json:"app"`
	Tenant string `json:"tenant,omitempty"`
	User   string `json:"user,omitempty"`
}

func (s *Service) beginInstall(ctx context.Context, binding string, from installState, app string) (InstallStart, error) {
	all, err := s.Store.Apps(ctx)
	if err != nil {
		return InstallStart{}, err
	}
	if app != "" {
		all = slices.DeleteFunc(all, func(a store.App) bool { return a.ID != app })
	}
	switch {
	case len(all) == 0 && app != "":
		return InstallStart{}, field.Wrong("/appId", "must be the id of a code-host app")
	case len(all) == 0:
		return InstallStart{}, errs.New(errs.Conflict, "no_app", "No code-host app is registered yet. An instance admin registers one.")
	case len(all) > 1:
		return InstallStart{}, field.Wrong("/appId", "must name one of the code-host apps, because there are several")
	case all[0].Slug == "" && all[0].HTMLURL == "":
		return InstallStart{}, errs.New(errs.Conflict, "no_slug", "The app's slug is not known yet. An instance admin enters it, or "+
			"tests the app.")
	}
	from.App = all[0].ID
	state, err := s.newState(ctx, forInstall, binding, from)
	return InstallStart{github.InstallURL(all[0].WebURL, all[0].HTMLURL, all[0].Slug, state)}, err
}

// Returned is the data that a browser brings back from the host after an installation. Only the state is
// trusted.
type Returned struct {
	State, Action string
	Installation  int64
}

// The outcomes of an installation.
const (
	OutcomePlaced    = "placed"    // it belongs to the tenant
	OutcomeWaits     = "waits"     // an instance admin must assign it
	OutcomeElsewhere = "elsewhere" // it belongs to another tenant and does not move
	OutcomeRequested = "requested" // an owner of the account must agree
)

// Outcome is the outcome of an installation.
type Outcome struct {
	Result  string
	Account string // the host's name; "" if it was not read
}

// Installed handles a browser that returns from the host. The state identifies app and tenant, and the
// installation is read with the app's key. It is assigned if the person is a tenant admin who owns the
// account on the host, or an instance admin, and in the first run if the account owns the app. Otherwise it
// waits.
func (s *Service) Installed(ctx context.Context, binding string, r Returned) (Outcome, error) {
	var from installState
	if err := s.takeState(ctx, forInstall, binding, r.State, func(b string) { from = store.FromJSON[installState](b) }); err != nil {
		return Outcome{}, err
	}
	if r.Action == "request" {
		return Outcome{Result: OutcomeRequested}, nil
	}
	app, err := s.Store.App(ctx, from.App)
	if err != nil || s.Hosts == nil {
		return Outcome{}, errs.Absent()
	}
	host, err := s.Hosts.App(ctx, app.ID)
	if err != nil {
		return Outcome{}, err
	}
	info, err := host.Installation(ctx, domain.NumberID(r.Installation))
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		return Outcome{}, errs.Absent()
	}
	if err != nil {
		return Outcome{}, errs.Wrap(err, errs.Unavailable, "host_unavailable",
			"The code host does not answer. The installation is taken over with its next event.")
	}
	allowed, err := s.mayPlace(ctx, host, app, info, from)
	if err != nil {
		return Outcome{}, err
	}
	return s.storeReturned(ctx, app, info, from, allowed)
}

// mayPlace reports whether the person may assign the account to the tenant.
func (s *Service) mayPlace(ctx context.Context, host *github.Host, app store.App, info codehost.Installation,
	from installState) (bool, error) {
	if from.Tenant == "" {
		return false, nil
	}
	role, err := s.Store.RoleOf(ctx, domain.Tenant{ID: from.Tenant}, from.User)
	if err != nil || role != domain.RoleAdmin {
		return false, err
	}
	user, err := s.Store.UserByID(ctx, from.User)
	if err != nil || user.InstanceAdmin {
		return err == nil, err
	}
	all, err := s.Store.IdentitiesOf(ctx, from.User)
	if err != nil {
		return false, err
	}
	for _, id := range all {
		person := domain.HostID(id.Subject)
		if id.Kind != store.IdentityCodeHost || person == "" || !strings.EqualFold(strings.TrimRight(id.Issuer, "/"), app.WebURL) {
			continue
		}
		if info.AccountType == "User" {
			return person == info.AccountID, nil
		}
		owners, err := host.OrganizationOwners(ctx, info.ID, info.AccountLogin)
		return err == nil && slices.Contains(owners, person), nil // an error never grants
	}
	return false, nil
}

func (s *Service) storeReturned(ctx context.Context, app store.App, info codehost.Installation, from installState,
	allowed bool) (Outcome, error) {
	tenant := from.Tenant
	if !allowed {
		var err error
		if tenant, err = s.Place(ctx, app.ID, info); err != nil {
			return Outcome{}, err
		}
	}
	var row store.Installation
	err := s.Store.InTx(ctx, func(ctx context.Context) (err error) {
		row, err = s.Store.UpsertInstallation(ctx, store.Installation{AppID: app.ID, ExternalID: info.ID, AccountID: info.AccountID,
			AccountLogin: info.AccountLogin, AccountType: info.AccountType})
		if err != nil || row.Tenant != "" || tenant == "" {
			return err
		}
		row, err = s.assignInstallation(ctx, domain.Tenant{ID: tenant}, row, "It came back from the code host with its state.")
		return err
	})
	if errs.Is(err, errs.Conflict) { // another process assigned it meanwhile
		row, err = s.Store.Installation(ctx, row.ID)
	}
	out := Outcome{Result: OutcomeWaits, Account: info.AccountLogin}
	switch {
	case err != nil:
		return out, err
	case row.Tenant == "":
	case from.Tenant != "" && row.Tenant != from.Tenant:
		out.Result = OutcomeElsewhere
	default:
		out.Result = OutcomePlaced
		_, _ = s.fetchRepositories(ctx, row) // after a failure they come with their next event
	}
	return out, nil
}
