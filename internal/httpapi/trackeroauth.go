package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// TrackerConsent is the page on which a person authorizes the app of a tracker connection.
type TrackerConsent struct {
	URL       string    `json:"url" doc:"Where to send the browser of this session; the tracker sends it back"`
	ExpiresAt time.Time `json:"expiresAt" doc:"Until when it can come back"`
}

// startTrackerOAuth starts an authorization that only the requesting session can complete.
func (s *server) startTrackerOAuth(ctx context.Context, in *InConnection) (*Read[TrackerConsent], error) {
	c := callerFrom(ctx)
	if err := s.Tracking.MayBeginTrackerOAuth(ctx, c.tenant, in.ConnectionID); err != nil {
		return nil, err
	}
	verifier, challenge := auth.NewVerifier()
	state, err := s.Auth.BeginFor(ctx, auth.Attempt{Kind: store.StateTracker, Provider: in.ConnectionID,
		Secret: []byte(c.tenant.ID + " " + verifier), Return: "/t/" + c.tenant.ID + "/connections", Session: c.session.ID})
	if err != nil {
		return nil, err
	}
	to, err := s.Tracking.BeginTrackerOAuth(ctx, c.tenant, in.ConnectionID, state, challenge)
	return read(TrackerConsent{to, time.Now().Add(auth.StateLife)}, err)
}

// trackerCallback ends an authorization. It ignores unknown parameters, because the tracker can add some.
func (s *server) trackerCallback(w http.ResponseWriter, r *http.Request) {
	to, err := s.endTrackerOAuth(r)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	redirectAway(w, to)
}

func (s *server) endTrackerOAuth(r *http.Request) (to string, err error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(q["state"]) > 1 || len(q["code"]) > 1 || len(q["error"]) > 1 {
		return "", errs.New(errs.Malformed, "malformed", "The query of the address cannot be read.")
	}
	ctx, c := r.Context(), callerFrom(r.Context())
	a, err := s.Auth.ResumeFor(ctx, store.StateTracker, q.Get("state"), c.session.ID)
	if err != nil {
		return "", err
	}
	tenant, verifier, _ := strings.Cut(string(a.Secret), " ")
	if err := s.enter(ctx, c, tenant); err != nil { // the person may have left it
		return "", err
	}
	if !c.Allows(perm.TenantManage) {
		return "", errs.New(errs.Forbidden, "forbidden", "Your role is too small for this.")
	}
	if q.Get("error") != "" {
		return "", s.Tracking.NotConsented(ctx, c.tenant, a.Provider)
	}
	return a.Return, s.Tracking.EndTrackerOAuth(ctx, c.tenant, a.Provider, q.Get("code"), verifier)
}

func trackerCallbackAnswers() map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	out := map[string]*huma.Response{"303": {Description: "The connection is signed in; Location is a path of this origin",
		Headers: map[string]*huma.Param{"Location": {Schema: text}}}}
	return withPages(out, map[string]string{"400": "The consent is over, or was not given",
		"403": "A person who cannot manage the tenant", "404": "The connection is gone",
		"409": "The tracker refuses the app, or the connection was changed in between", "422": "The connection does not sign in by OAuth",
		"503": "The tracker does not answer"})
}
