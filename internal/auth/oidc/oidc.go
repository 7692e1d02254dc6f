// Package oidc is the relying party of OpenID Connect: it sends a browser to an
// identity provider, turns what comes back into a verified person, and says
// what is wrong with a provider's configuration.
//
// It knows the protocol only. Who the person is here, what claims give, where
// state is kept, and pages do not live here.
package oidc

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of what an identity provider may answer, and how long it may take.
const (
	// Leeway is how far the clocks of provider and service may be apart, in
	// either direction (design choice; OpenID Connect Core 1.0, section 3.1.3.7
	// allows "some small leeway, usually no more than a few minutes").
	Leeway = 2 * time.Minute
	// maxAnswer bounds each answer of a provider, in bytes (design choice: a token with a
	// few thousand groups has about 200 KiB).
	maxAnswer = 1 << 20
	// maxToken bounds an ID token, in bytes (design choice).
	maxToken = 512 << 10
	// timeout bounds each exchange with a provider (design choice; sign-in makes four of
	// them, and a person waits).
	timeout = 8 * time.Second
	// metadataLife is how long discovery is believed (design choice).
	metadataLife = 10 * time.Minute
	// failureLife is how long a discovery in vain is not repeated (design choice:
	// one question in that time, and a provider that is back is soon noticed).
	failureLife = 15 * time.Second
	// maxKnown bounds the caches of discovery, in issuers.
	maxKnown = 200
	// maxSubject is the length of a subject (OpenID Connect Core 1.0, section 2).
	maxSubject = 255
)

// Provider is an identity provider as it is configured here.
type Provider struct {
	Issuer       string // exactly as the provider's discovery says it
	ClientID     string
	ClientSecret secret.Secret
	Scopes       []string // openid is added where it is missing
}

// Config is what a party is made of.
type Config struct {
	Factory *outbound.Factory // every request goes through it
	Now     func() time.Time  // nil: time.Now
	Timeout time.Duration     // of each exchange with a provider; 8 s if 0
}

// Party is the relying party. It remembers discovery and keys of each issuer,
// and is safe for concurrent use.
type Party struct {
	client *http.Client
	now    func() time.Time
	asking singleflight.Group // by issuer
	mu     sync.Mutex
	known  map[string]*issuer
	failed *lru.Cache[string, failure] // by issuer
}

// New makes a party.
func New(c Config) *Party {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Timeout == 0 {
		c.Timeout = timeout
	}
	p := &Party{client: c.Factory.Client(outbound.Purpose{Name: "oidc", Timeout: c.Timeout, MaxResponseBytes: maxAnswer}), now: c.Now, known: map[string]*issuer{}}
	p.failed, _ = lru.New[string, failure](maxKnown) // fails on a size below 1 only
	return p
}

// Flow is what one sign-in remembers between leaving and coming back.
type Flow struct {
	Redirect string // our own callback, exactly as sent
	State    string
	Nonce    string
	Verifier string // of PKCE (RFC 7636)
}

// Begin returns where to send the browser: the provider's authorization
// endpoint, for a code with PKCE. Errors: Unavailable, when discovery fails or
// is not usable.
func (p *Party) Begin(ctx context.Context, at Provider, f Flow) (string, error) {
	i, err := p.issuer(ctx, at.Issuer)
	if err != nil {
		return "", down(err)
	}
	if err := i.meta.usable(); err != nil {
		return "", down(err)
	}
	return p.oauth(at, i, f).AuthCodeURL(f.State, oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("nonce", f.Nonce)), nil
}

// Answer is what the browser brought back.
type Answer struct {
	Code   string
	Issuer string // parameter iss; "" where absent (RFC 9207)
}

// Person is somebody whom a provider vouches for. The identity is issuer and
// subject; everything else is only what the provider says at this moment.
type Person struct {
	Issuer, Subject string
	Name            string         // for display; never an identity
	Claims          map[string]any // of the ID token, and those of userinfo that the token lacks; numbers are json.Number
}

// Finish turns an answer into a person: it exchanges the code, verifies the ID
// token and asks userinfo where the provider has it. Errors: Forbidden with the
// code sign_in_refused where something does not fit, Unavailable where the
// provider cannot be asked. Nothing that the provider sent is in the message.
func (p *Party) Finish(ctx context.Context, at Provider, f Flow, a Answer) (Person, error) {
	i, err := p.issuer(ctx, at.Issuer)
	if err != nil {
		return Person{}, down(err)
	}
	if err := i.meta.usable(); err != nil {
		return Person{}, down(err)
	}
	if a.Issuer != "" && a.Issuer != at.Issuer || a.Issuer == "" && i.meta.IssParameter {
		return Person{}, refused(nil, "The answer names another identity provider than the one that was asked.")
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.client)
	tokens, err := p.oauth(at, i, f).Exchange(ctx, a.Code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return Person{}, exchangeFailure(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := p.verify(ctx, at, i, raw, tokens.AccessToken, f.Nonce)
	if err != nil {
		return Person{}, err
	}
	person := Person{Issuer: at.Issuer, Subject: id.subject, Claims: id.claims}
	if i.meta.UserinfoURL != "" {
		more, err := p.userinfo(ctx, at, i, tokens.AccessToken, id.subject)
		if err != nil {
			return Person{}, err
		}
		addClaims(person.Claims, more)
	}
	person.Name = displayName(person.Claims, person.Subject)
	return person, nil
}

func (p *Party) oauth(at Provider, i *issuer, f Flow) *oauth2.Config {
	return &oauth2.Config{ClientID: at.ClientID, ClientSecret: at.ClientSecret.Reveal(), RedirectURL: f.Redirect, Scopes: withOpenID(at.Scopes),
		Endpoint: oauth2.Endpoint{AuthURL: i.meta.AuthURL, TokenURL: i.meta.TokenURL, AuthStyle: i.meta.authStyle()}}
}

func withOpenID(scopes []string) []string {
	if slices.Contains(scopes, "openid") {
		return scopes
	}
	return append([]string{"openid"}, scopes...)
}

// exchangeFailure sorts an error of the token endpoint. The endpoint's text is
// not passed on; its error codes are those of RFC 6749, section 5.2.
func exchangeFailure(err error) error {
	if r, ok := errorAs[*oauth2.RetrieveError](err); ok {
		switch r.ErrorCode {
		case "invalid_grant":
			return refused(nil, "The identity provider no longer accepts this sign-in. Start again.")
		case "invalid_client", "unauthorized_client":
			return refused(nil, "The identity provider does not accept this service as a client. An administrator must check client id and secret.")
		case "":
		default:
			return refused(nil, "The identity provider refused to issue tokens.")
		}
		return down(problem("the token endpoint answered without tokens"))
	}
	if _, ok := errorAs[*url.Error](err); ok {
		return down(problem(describe(err)))
	}
	return refused(err, "The answer of the identity provider could not be read.")
}

func refused(cause error, message string) error {
	return &errs.Error{Kind: errs.Forbidden, Code: "sign_in_refused", Message: message, Cause: cause}
}

func down(cause error) error {
	return &errs.Error{Kind: errs.Unavailable, Code: "identity_provider_unavailable", Cause: cause,
		Message: "The identity provider cannot be used at the moment. Try again later, or ask an administrator to test it."}
}
