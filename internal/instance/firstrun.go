package instance

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Lives of what opens the first run. The manifest flow takes an hour at most
// (docs.github.com/apps, "Registering a GitHub App from a manifest").
const (
	TokenLife  = 30 * time.Minute
	CookieLife = 2 * time.Hour
	stateLife  = time.Hour
	LinkLife   = 15 * time.Minute
)

// StartTogether is how far apart processes may start and still share one setup
// token: containers of one deployment are there within a minute or two. A
// process that is started again later makes a new token, and the old one ends.
const StartTogether = 2 * time.Minute

// Done reports whether setup is complete. Once it is, it stays.
func (s *Service) Done(ctx context.Context) (bool, error) {
	if s.over.Load() {
		return true, nil
	}
	st, err := s.Store.Setup(ctx)
	if err == nil && st.CompletedUS != 0 {
		s.over.Store(true)
	}
	return s.over.Load(), err
}

// NewToken makes the token that opens setup, in place of any earlier one; ok is
// false where setup is complete.
func (s *Service) NewToken(ctx context.Context) (token secret.Secret, ok bool, err error) {
	token = secret.NewToken(secret.Setup)
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		if ok, err = s.Store.PutSetupToken(ctx, secret.Hash(token.Reveal()), TokenLife); err != nil || !ok {
			return err
		}
		return s.Audit.Record(ctx, audit.Act{Action: "setup-token.create", Target: setupTarget()})
	})
	return token, ok, err
}

// OfferToken is NewToken at the start of a process that shares its database with
// others: where another one made a token within [StartTogether], that one stays
// the one that works, and token is not set.
func (s *Service) OfferToken(ctx context.Context) (token secret.Secret, ok bool, err error) {
	made := secret.NewToken(secret.Setup)
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		token, ok = secret.Secret{}, false
		mine, err := s.Store.OfferSetupToken(ctx, secret.Hash(made.Reveal()), TokenLife, StartTogether)
		if err != nil {
			return err
		}
		if !mine {
			st, err := s.Store.Setup(ctx)
			ok = st.CompletedUS == 0
			return err
		}
		token, ok = made, true
		return s.Audit.Record(ctx, audit.Act{Action: "setup-token.create", Target: setupTarget()})
	})
	if err != nil {
		return secret.Secret{}, false, err
	}
	return token, ok, nil
}

func setupTarget() audit.Target { return audit.Target{Kind: "setup", ID: "setup"} }

// TokenURL is where a browser begins. The token is in the fragment: it is not
// sent, and so stands in no log.
func TokenURL(base string, token secret.Secret) string {
	return base + "/setup#token=" + token.Reveal()
}

// SignInURL is where a browser uses a one-time sign-in link; the token is in the
// fragment, as in [TokenURL].
func SignInURL(base string, token secret.Secret) string {
	return base + "/auth/break-glass#token=" + token.Reveal()
}

// Open uses the token up for a browser, and returns the value of its cookie.
// The browser that went through setup before can't go on. Every token that does
// not work gets the same refusal, of kind Unauthenticated.
func (s *Service) Open(ctx context.Context, token string) (cookie string, err error) {
	if !secret.CheckToken(secret.Setup, token) {
		return "", closed()
	}
	cookie = secret.NewToken(secret.SetupCookie).Reveal()
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		ok, err := s.Store.RedeemSetupToken(ctx, secret.Hash(token), secret.Hash(cookie), CookieLife)
		if err == nil && !ok {
			err = closed()
		}
		return audit.Act{Action: "setup.open", Target: setupTarget()}, err
	})
	return cookie, err
}

func closed() error {
	return errs.New(errs.Unauthenticated, "setup_token_needed", "This needs the setup token that the service printed when it started. It works once, for 30 minutes; `assay setup-token` on the server prints a new one.")
}

// Inside reports whether a cookie is that of the browser that goes through
// setup; if not, the error is the refusal. Once setup is complete it is one of
// kind [errs.NotFound], also where another process has just completed it.
func (s *Service) Inside(ctx context.Context, cookie string) error {
	if !secret.CheckToken(secret.SetupCookie, cookie) {
		return closed()
	}
	ok, err := s.Store.SetupSession(ctx, secret.Hash(cookie))
	return s.letIn(ctx, ok, err)
}

// Knows is Inside for a program that has the token itself; the token stays.
func (s *Service) Knows(ctx context.Context, token string) error {
	if !secret.CheckToken(secret.Setup, token) {
		return closed()
	}
	ok, err := s.Store.SetupToken(ctx, secret.Hash(token))
	return s.letIn(ctx, ok, err)
}

// letIn is the refusal of what opens setup no more: its end takes cookie and
// token away, so that what is missing may be setup itself.
func (s *Service) letIn(ctx context.Context, ok bool, err error) error {
	if ok || err != nil {
		return err
	}
	switch done, err := s.Done(ctx); {
	case err != nil:
		return err
	case done:
		return errs.Absent()
	}
	return closed()
}

// Binding is what a state of the browser that goes through setup is bound to.
func Binding(cookie string) string { return "setup:" + secret.Hash(cookie) }

// BindingOf is what a state of a signed-in person is bound to.
func BindingOf(user string) string { return "user:" + user }

// Progress is how far the first run has come.
type Progress struct {
	Next          string           `json:"next" enum:"instance,app,tenant" doc:"instance: name and public base URL. app: a code host, by an app or a connection; it can be left out. tenant: the first tenant with its admin"`
	Name          string           `json:"name"`
	PublicBaseURL string           `json:"publicBaseUrl"`
	BaseURLFixed  bool             `json:"publicBaseUrlFixed" doc:"The process configuration sets it"`
	App           *App             `json:"app,omitempty" doc:"The app that was registered"`
	InstallURL    string           `json:"installUrl,omitempty" doc:"Where the app is installed; it can wait"`
	SignInURL     string           `json:"signInUrl,omitempty" doc:"Path to sign in through the app, for an admin with an account there"`
	Connection    *FirstConnection `json:"connection,omitempty" doc:"The connection to a code host that was made"`
}

// Progress reads it.
func (s *Service) Progress(ctx context.Context) (Progress, error) {
	st, err := s.Store.Setup(ctx)
	if err != nil {
		return Progress{}, err
	}
	v, err := s.Settings(ctx)
	if err != nil {
		return Progress{}, err
	}
	out := Progress{Next: "instance", Name: v.Name, PublicBaseURL: v.PublicBaseURL, BaseURLFixed: s.Process.Fixed["/publicBaseUrl"]}
	if v.Origins["/name"] != FromDefault {
		out.Next = "app"
	}
	if out.Connection, err = s.firstConnection(ctx); err != nil {
		return out, err
	}
	if out.Connection != nil && out.Next == "app" {
		out.Next = "tenant"
	}
	if st.AppID == "" {
		return out, nil
	}
	row, err := s.Store.App(ctx, st.AppID)
	if errs.Is(err, errs.NotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	app := s.shown(ctx, row)
	out.App = &app
	if out.Next == "app" {
		out.Next = "tenant"
	}
	if len(row.ClientSecret) > 0 && row.ClientID != "" {
		out.SignInURL = "/auth/codehost/login?app=" + row.ID + "&return=/setup"
	}
	return out, nil
}

// SetupInstance names the instance.
type SetupInstance struct {
	Name          string `json:"name" minLength:"1" maxLength:"100" example:"Example Corp reviews"`
	PublicBaseURL string `json:"publicBaseUrl,omitempty" maxLength:"300" doc:"Absent: as it is" example:"https://assay.example.com"`
}

// NameInstance is the first step. A base URL at another origin ends this
// browser's setup: it goes on there, at the address that is returned.
func (s *Service) NameInstance(ctx context.Context, in SetupInstance) (goOn string, err error) {
	before := s.BaseURL(ctx)
	change := InstanceSettingsUpdate{Name: patch.Of(in.Name)}
	if in.PublicBaseURL != "" && in.PublicBaseURL != before { // what nobody chose goes on following the listen address
		change.PublicBaseURL = patch.Of(in.PublicBaseURL)
	}
	after, err := s.UpdateSettings(ctx, 0, change)
	if err != nil || after.PublicBaseURL == before {
		return "", err
	}
	token, ok, err := s.NewToken(ctx)
	if err != nil || !ok {
		return "", err
	}
	return TokenURL(after.PublicBaseURL, token), nil
}

// SetupFinish makes the first tenant.
type SetupFinish struct {
	TenantName string `json:"tenantName" minLength:"1" maxLength:"100" example:"Example Corp"`
	AdminName  string `json:"adminName,omitempty" maxLength:"100" doc:"Name of the first admin, who signs in with the one-time link of the answer. Absent: the person who is signed in in this browser" example:"Ada Admin"`
}

// Finished is the end of the first run.
type Finished struct {
	TenantID   string `json:"tenantId"`
	UserID     string `json:"userId"`
	SignInLink string `json:"signInLink,omitempty" doc:"Signs the admin in, once, within 15 minutes. It is here only"`
}

// Finish makes the first tenant, or gives the one that a connection has had made its
// name, and makes its admin, who manages the instance too:
// user, or with "" a new person with a one-time link. Setup is complete then.
// Two at once make one. Installations of the app on the account that owns it go
// to the tenant.
func (s *Service) Finish(ctx context.Context, in SetupFinish, user string) (Finished, error) {
	var c field.Check
	c.Name("/tenantName", in.TenantName)
	if user == "" {
		c.Name("/adminName", in.AdminName)
	} else {
		c.That(in.AdminName == "", "/adminName", "must be absent if the signed-in person becomes the admin")
	}
	if err := c.Err(); err != nil {
		return Finished{}, err
	}
	link := secret.NewToken(secret.Link)
	out := Finished{UserID: user}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		ok, err := s.Store.CompleteSetup(ctx)
		if err == nil && !ok {
			err = errs.Absent()
		}
		if err != nil {
			return audit.Act{}, err
		}
		t, err := s.tenantToFinish(ctx, in.TenantName)
		if err != nil {
			return audit.Act{}, err
		}
		out.TenantID = t.ID
		if out.UserID, err = s.firstAdmin(ctx, in, user, link); err != nil {
			return audit.Act{}, err
		}
		if err := s.Store.SetMember(ctx, domain.Tenant{ID: t.ID}, out.UserID, domain.RoleAdmin, "setup"); err != nil {
			return audit.Act{}, err
		}
		for _, act := range []audit.Act{
			{Action: "instance-admin.grant", Target: audit.Target{Kind: "user", ID: out.UserID}},
			{Tenant: domain.Tenant{ID: t.ID}, Action: "member.grant", Target: audit.Target{Kind: "user", ID: out.UserID}, Note: "The first admin, made at setup."},
		} {
			if err := s.Audit.Record(ctx, act); err != nil {
				return audit.Act{}, err
			}
		}
		return audit.Act{Action: "setup.complete", Target: setupTarget()}, nil
	})
	if err != nil {
		return Finished{}, err
	}
	s.over.Store(true)
	if user == "" {
		out.SignInLink = SignInURL(s.BaseURL(ctx), link)
	}
	_ = s.PlaceWaiting(ctx, s.Place, "The setting installationPlacement placed it.") // those that wait on are placed with their next event
	return out, nil
}

func (s *Service) firstAdmin(ctx context.Context, in SetupFinish, user string, link secret.Secret) (string, error) {
	if user != "" {
		_, err := s.Store.SetInstanceAdmin(ctx, user, true)
		return user, err
	}
	u, err := s.Store.CreateUser(ctx, in.AdminName, true)
	if err != nil {
		return "", err
	}
	return u.ID, s.Store.CreateSignInLink(ctx, store.NewSignInLink{TokenHash: secret.Hash(link.Reveal()), User: u.ID, Purpose: store.LinkSetup, Life: LinkLife})
}
