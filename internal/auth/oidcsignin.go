package auth

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"golang.org/x/oauth2"

	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// oidcSecret is the sealed data of a sign-in with an identity provider.
type oidcSecret struct {
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // of PKCE
}

// BeginOIDC begins a sign-in with an identity provider and returns the address for the browser. binding is
// the value of the cookie that binds it to the browser. It uses only Return and Session of a. Errors:
// NotFound for a slug without an enabled provider, Unavailable.
func (s *Service) BeginOIDC(ctx context.Context, slug, binding string, a Attempt) (string, error) {
	row, err := s.Store.EnabledProvider(ctx, slug)
	if err != nil {
		return "", err
	}
	at, err := s.providerAt(ctx, row)
	if err != nil {
		return "", err
	}
	keep := oidcSecret{Nonce: secret.NewToken(secret.State).Reveal(), Verifier: oauth2.GenerateVerifier()}
	a.Kind, a.Provider = store.StateOIDC, row.ID
	if a.Secret, err = json.Marshal(keep); err != nil {
		return "", err
	}
	state, err := s.Begin(ctx, binding, a)
	if err != nil {
		return "", err
	}
	return s.party.Begin(ctx, at, oidc.Flow{Redirect: s.redirectURL(row.Slug), State: state, Nonce: keep.Nonce, Verifier: keep.Verifier})
}

// OIDCAnswer is an identity provider's answer that the browser brings back.
type OIDCAnswer struct {
	State, Code, Issuer string
	Error               string // the parameter error; its text is not passed on
}

// FinishOIDC ends a sign-in with an identity provider. The state must belong to the provider of the path,
// so that one provider's answer never counts as another's. Role mappings are evaluated in the transaction
// of the sign-in; if claims are incomplete, nothing changes. Errors: NotFound for a slug without an enabled
// provider, Malformed for an invalid state, Forbidden with the code sign_in_refused, Unavailable, and those
// of [Service.Enter].
func (s *Service) FinishOIDC(ctx context.Context, slug, binding string, a OIDCAnswer, b Browser) (Entered, string, error) {
	row, err := s.Store.EnabledProvider(ctx, slug)
	if err != nil {
		return Entered{}, "", err
	}
	attempt, err := s.Resume(ctx, store.StateOIDC, a.State, binding)
	if err != nil {
		return Entered{}, "", err
	}
	if attempt.Provider != row.ID {
		return Entered{}, "", signInOverError()
	}
	if a.Error != "" || a.Code == "" {
		return Entered{}, "", s.providerRefusal(ctx, row.Slug, a.Error)
	}
	var keep oidcSecret
	if err := json.Unmarshal(attempt.Secret, &keep); err != nil {
		return Entered{}, "", err
	}
	at, err := s.providerAt(ctx, row)
	if err != nil {
		return Entered{}, "", err
	}
	person, err := s.party.Finish(ctx, at, oidc.Flow{Redirect: s.redirectURL(row.Slug), State: a.State, Nonce: keep.Nonce,
		Verifier: keep.Verifier}, oidc.Answer{Code: a.Code, Issuer: a.Issuer})
	if err != nil {
		s.tellRefusal(ctx, row.Slug, err)
		return Entered{}, "", err
	}
	known := Known{Issuer: person.Issuer, Subject: person.Subject, Kind: store.IdentityOIDC, Login: person.Name, Name: person.Name,
		Method: store.MethodOIDC + row.Slug, Provider: row.ID}
	in, err := s.Enter(ctx, attempt, known, b, func(ctx context.Context, user string, _ store.Identity) error {
		now, err := s.Store.LockProvider(ctx, row.ID)
		if err == nil && (!now.Enabled || now.Slug != row.Slug) { // disabled during the exchange with the provider
			err = errs.Absent()
		}
		if err != nil {
			return err
		}
		if err := s.linkHostUser(ctx, row, user, person); err != nil {
			return err
		}
		if err := s.applyMappings(ctx, user, row.ID, person.Claims); err != nil {
			return err
		}
		return s.applyStoredRoles(ctx, user)
	})
	s.tellRefusal(ctx, row.Slug, err)
	return in, attempt.Return, err
}

// providerRefusal returns the error for a browser that a provider sent back without a code, according to
// the error code (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). Other texts are not
// repeated.
func (s *Service) providerRefusal(ctx context.Context, slug, code string) error {
	refused := func(message string) error { return errs.New(errs.Forbidden, "sign_in_refused", "%s", message) }
	var err error
	switch code {
	case "access_denied":
		err = refused("The identity provider did not let you in, or you declined. If you should have access, an administrator there " +
			"must give it to you.")
	case "server_error", "temporarily_unavailable":
		return &errs.Error{Kind: errs.Unavailable, Code: "identity_provider_unavailable",
			Cause:   errors.New("oidc: " + slug + " answered " + code),
			Message: "Sign-in by the identity provider does not work at the moment. Try again later."}
	case "unauthorized_client", "invalid_request", "unsupported_response_type", "invalid_scope", "request_not_supported",
		"request_uri_not_supported", "registration_not_supported":
		err = refused("The identity provider does not accept this service as it is set up. An administrator must check client id, " +
			"redirect address and scopes.")
	case "login_required", "interaction_required", "account_selection_required", "consent_required":
		err = refused("The identity provider needs something from you that it could not ask for. Sign in there first.")
	default:
		code = "unknown"
		err = refused("The identity provider did not sign you in.")
	}
	s.Logger.WarnContext(ctx, "an identity provider refused a sign-in", "provider", slug, "reason", code)
	return err
}

// tellRefusal logs for the operator why people cannot sign in, with the sentence that they see, which
// contains no text of the provider.
func (s *Service) tellRefusal(ctx context.Context, slug string, err error) {
	if e, ok := errors.AsType[*errs.Error](err); ok && e.Kind == errs.Forbidden {
		s.Logger.WarnContext(ctx, "a sign-in with an identity provider was refused", "provider", slug, "reason", e.Message)
	}
}

// linkHostUser links the person to a host's user if the provider's subjects are that host's user ids. An
// identity of another person stays theirs. If the host itself is the provider, at the same address, the
// identity already exists. A provider for some tenants only does not identify a person for all tenants; its
// identities are looked up in the tenants that may use it.
func (s *Service) linkHostUser(ctx context.Context, row store.IdentityProvider, user string, person oidc.Person) error {
	n, err := strconv.ParseUint(person.Subject, 10, 63)
	if row.HostUserID == "" || !row.AllTenants || err != nil || strconv.FormatUint(n, 10) != person.Subject {
		return nil
	}
	host := store.HostAddress(row.HostUserID)
	_, err = s.Store.Identity(ctx, host, person.Subject)
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	_, err = s.Store.CreateIdentity(ctx, store.Identity{UserID: user, Issuer: host, Subject: person.Subject,
		Kind: store.IdentityCodeHost, Login: person.Name})
	return err
}

// listedProviders returns the identity providers for the sign-in page.
func (s *Service) listedProviders(ctx context.Context) ([]Provider, error) {
	rows, err := s.Store.IdentityProviders(ctx, store.Cursor{}, maxIdentityProviders)
	if err != nil {
		return nil, err
	}
	var out []Provider
	for i := len(rows) - 1; i >= 0; i-- { // oldest first, so that the order stays when one is added
		if p := rows[i]; p.Listed && p.Enabled {
			out = append(out, Provider{Kind: "oidc", Slug: p.Slug, DisplayName: p.DisplayName, LoginURL: "/auth/oidc/" + p.Slug + "/login"})
		}
	}
	return out, nil
}
