package connect

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker/linear"
)

// LinearConsent returns Linear's code flow.
func LinearConsent(c store.TrackerConnection, clientSecret secret.Secret, client *http.Client) (Consent, error) {
	flow, err := linear.NewOAuth(linear.OAuthConfig{BaseURL: c.BaseURL, Client: client, ClientID: c.ClientID, ClientSecret: clientSecret})
	return linearConsent{flow}, err
}

type linearConsent struct{ *linear.OAuth }

// Exchange implements [Consent].
func (l linearConsent) Exchange(ctx context.Context, code, verifier, redirect string) (Tokens, error) {
	return ofLinear(l.OAuth.Exchange(ctx, code, verifier, redirect))
}

// Refresh implements [Consent].
func (l linearConsent) Refresh(ctx context.Context, refresh secret.Secret) (Tokens, error) {
	return ofLinear(l.OAuth.Refresh(ctx, refresh))
}

func ofLinear(v linear.Tokens, err error) (Tokens, error) {
	return Tokens{Access: v.Access, Refresh: v.Refresh, Expires: v.Expires}, err
}
