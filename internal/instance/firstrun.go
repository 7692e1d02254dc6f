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

// Lifetimes of the first run's tokens and states. GitHub's manifest flow takes an hour at most
// (docs.github.com/apps, "Registering a GitHub App from a manifest").
const (
	TokenLife  = 30 * time.Minute
	CookieLife = 2 * time.Hour
	stateLife  = time.Hour
	LinkLife   = 15 * time.Minute
)

// StartTogether is how far apart processes may start and still share one setup token: the containers of a
// deployment start within a minute or two. A process that restarts later makes a new token, which ends the
// old one.
const StartTogether = 2 * time.Minute

// Done reports whether setup is complete. A complete setup stays complete.
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

// NewToken makes the token that opens setup, in place of an earlier one. ok is false if setup is complete.
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

// OfferToken works like NewToken when a process starts that shares its database with others. If another
// process made a token within [StartTogether], that token stays valid, and token is unset.
func (s *Service) OfferToken(ctx context.Context) (token secret.Secret, ok bool, err error) {
	created := secret.NewToken(secret.Setup)
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		token, ok = secret.Secret{}, false
		mine, err := s.Store.OfferSetupToken(ctx, secret.Hash(created.Reveal()), TokenLife, StartTogether)
		if err != nil {
			return err
		}
		if !mine {
			st, err := s.Store.Setup(ctx)
			ok = st.CompletedUS == 0
			return err
		}
		token, ok = created, true
		return s.Audit.Record(ctx, audit.Act{Action: "setup-token.create", Target: setupTarget()})
	})
	if err != nil {
		return secret.Secret{}, false, err
	}
	return token, ok, nil
}

func setupTarget() audit.Target { return audit.Target{Kind: "setup", ID: "setup"} }

// TokenURL returns the address at which a browser begins setup. The token is in the fragment, which
// browsers do not send, so that it appears in no log.
func TokenURL(base string, token secret.Secret) string {
	return base + "/setup#token=" + token.Reveal()
}

// SignInURL returns the address of a one-time sign-in link, with the token in the fragment as in
// [TokenURL].
func SignInURL(base string, token secret.Secret) string {
	return base + "/auth/break-glass#token=" + token.Reveal()
}

// Open redeems the token for a browser and returns the value of its cookie. It ends the setup of an earlier
// browser. Every invalid token gets the same error, of kind Unauthenticated.
func (s *Service) Open(ctx context.Context, token string) (cookie string, err error) {
	if !secret.CheckToken(secret.Setup, token) {
		return "", tokenNeededError()
	}
	cookie = secret.NewToken(secret.SetupCookie).Reveal()
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		ok, err := s.Store.RedeemSetupToken(ctx, secret.Hash(token), secret.Hash(cookie), CookieLife)
		if err == nil && !ok {
			err = tokenNeededError()
		}
		return audit.Act{Action: "setup.open", Target: setupTarget()}, err
	})
	return cookie, err
}

func tokenNeededError() error {
	return errs.New(errs.Unauthenticated, "setup_token_needed", "This needs the setup token that the service printed when it "+
		"started. It works once, for 30 minutes; `assay setup-token` on the server prints a new one.")
}

// Inside returns nil if the cookie belongs to the browser that goes through setup, otherwise the error to
// show. When setup is complete, also by another process just now, the error is of kind [errs.NotFound].
func (s *Service) Inside(ctx context.Context, cookie string) error {
	if !secret.CheckToken(secret.SetupCookie, cookie) {
		return tokenNeededError()
	}
	ok, err := s.Store.SetupSession(ctx, secret.Hash(cookie))
	return s.setupError(ctx, ok, err)
}

// Knows is Inside for a program that has the token itself. It does not redeem the token.
func (s *Service) Knows(ctx context.Context, token string) error {
	if !secret.CheckToken(secret.Setup, token) {
		return tokenNeededError()
	}
	ok, err := s.Store.SetupToken(ctx, secret.Hash(token))
	return s.setupError(ctx, ok, err)
}

// setupError returns the error for an invalid cookie or token. The end of setup removes both, so setup may be
// complete.
func (s *Service) setupError(ctx context.Context, ok bool, err error) error {
	if ok || err != nil {
		return err
	}
	switch done, err := s.Done(ctx); {
	case err != nil:
		return err
	case done:
		return errs.Absent()
	}
	return tokenNeededError()
}

// Binding returns the key that binds a state to the browser that goes through setup.
func Binding(cookie string) string { return "setup:" + secret.Hash(cookie) }

// BindingOf returns the key that binds a state to a signed-in person.
func BindingOf(user string) string { return "user:" + user }

// Progress is the progress of the first run.
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

// Progress returns the progress of the first run.
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
	app := s.appOf(ctx, row)
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

// NameInstance is the first step. If the base URL has another origin, setup ends in this browser and
// continues at the returned address.
func (s *Service) NameInstance(ctx context.Context, in SetupInstance) (goOn string, err error) {
	before := s.BaseURL(ctx)
	change := InstanceSettingsUpdate{Name: patch.Of(in.Name)}
	if in.PublicBaseURL != "" && in.PublicBaseURL != before { // an unset URL continues to follow the listen address
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

// SetupFinish creates the first tenant.
type SetupFinish struct {
	TenantName string `json:"tenantName" minLength:"1" maxLength:"100" example:"Example Corp"`
	AdminName  string `json:"adminName,omitempty" maxLength:"100" doc:"Name of the first admin, who signs in with the one-time link of the answer. Absent: the person who is signed in in this browser" example:"Ada Admin"`
}

// Finished is the result of the first run.
type Finished struct {
	TenantID   string `json:"tenantId"`
	UserID     string `json:"userId"`
	SignInLink string `json:"signInLink,omitempty" doc:"Signs the admin in, once, within 15 minutes. It is here only"`
}

// Finish completes setup. It creates the first tenant, or names the one that a connection has created, and
// makes its admin, who also manages the instance: user, or if that is "" a new person with a one-time link.
// Concurrent calls create one tenant. Installations on the account that owns the app go to the tenant.
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
			{Tenant: domain.Tenant{ID: t.ID}, Action: "member.grant", Target: audit.Target{Kind: "user", ID: out.UserID},
				Note: "The first admin, made at setup."},
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
	_ = s.PlaceWaiting(ctx, s.Place, "The setting installationPlacement placed it.") // the rest is placed with its next event
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
	return u.ID, s.Store.CreateSignInLink(ctx, store.NewSignInLink{TokenHash: secret.Hash(link.Reveal()), User: u.ID,
		Purpose: store.LinkSetup, Life: LinkLife})
}
