package httpapi

import (
	"cmp"
	"context"
	"crypto/subtle"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/problem"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/upload"
)

// caller is the sender of a request and its place. The zero value is an anonymous caller.
type caller struct {
	perm.Subject
	user       store.User
	session    store.Session
	tenant     domain.Tenant
	repository store.Repository
	token      store.MCPCaller // authenticated a request to /mcp
}

type callerKey struct{}

// callerFrom returns the caller of a request. Routes that need a session always have one.
func callerFrom(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	if c == nil {
		return &caller{}
	}
	return c
}

// guarded runs all checks before a handler in this order: 401, then 403 for CSRF and Origin, 404 for tenant
// and repository, 403 for the role, 501. The handler's own errors come after these. open returns the
// handler.
func (s *server) guarded(rt Route, open func() endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		noteOf(r.Context()).route = rt.Path
		if r.Method == http.MethodHead && !rt.answers(http.MethodHead) {
			refuseMethod(w, s.allow(r))
			return
		}
		ctx, cancel := s.within(r.Context(), rt)
		defer cancel()
		r = r.WithContext(ctx)
		leave := func() {}
		if !rt.probes() {
			from := s.address(r)
			if err := s.requestsOf.enter(from); err != nil {
				s.refuseRequest(w, r, rt, nil, err)
				return
			}
			leave = sync.OnceFunc(func() { s.requestsOf.leave(from) })
			defer leave()
		}
		c, err := s.admit(w, r, rt)
		if err == nil && !rt.built() {
			err = errs.New(errs.Unbuilt, "not_implemented", "This part of the interface is not built yet.")
		}
		if err != nil {
			s.refused(ctx, r, rt, c, err)
			s.refuseRequest(w, r, rt, c, err)
			return
		}
		if rt.takesDocument() {
			leavePlace, err := s.Upload.Enter(ctx, c.tenant.ID)
			if err != nil {
				s.refuseRequest(w, r, rt, c, err)
				return
			}
			defer leavePlace()
		}
		to := open()
		if err := s.wellFormed(w, r, rt, to.op); err != nil {
			s.refuseRequest(w, r, rt, c, err)
			return
		}
		ask, asked := s.questionGate(cmp.Or(c.tenant.ID, c.user.ID))
		defer asked()
		switch {
		case rt.asksServer():
			if err := ask(); err != nil {
				s.refuseRequest(w, r, rt, c, err)
				return
			}
		case rt.limitsQuestions():
			ctx = outbound.WithGate(ctx, ask)
		}
		ctx = audit.As(context.WithValue(ctx, callerKey{}, c), s.actor(ctx, r, c))
		if rt.unfilled() {
			w.Header().Set(filledHeader, "false")
		}
		if rt.streams() {
			leave() // from now on the stream counts against the limits of streams
		}
		to.next(w, r.WithContext(ctx))
	}
}

// wellFormed checks a request's query and the transfer of its body before the content is decoded. Webhooks,
// pages and sign-ins read their input themselves. op is nil for a page.
func (s *server) wellFormed(w http.ResponseWriter, r *http.Request, rt Route, op *huma.Operation) error {
	if rt.auth() == authSignature {
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.maxBody(rt))
	if op == nil {
		return nil
	}
	if isProgramPath(rt.Path) {
		if err := checkQuery(op, r.URL.RawQuery); err != nil {
			return err
		}
	}
	return s.takeBody(w, r, op, s.maxBody(rt))
}

// maxBody returns the maximum body size of a request in bytes. It is larger for assistants, because they
// send whole diffs.
func (s *server) maxBody(rt Route) int64 {
	if rt.takesDocument() {
		return upload.MaxBytes
	}
	if rt.auth() == authMCPToken {
		return max(s.MaxBody, mcpserver.MaxBody)
	}
	return s.MaxBody
}

// refuseRequest answers a refused request in the form that the route's callers understand. c can be nil.
func (s *server) refuseRequest(w http.ResponseWriter, r *http.Request, rt Route, c *caller, err error) {
	if rt.auth() == authMCPToken && errs.Is(err, errs.Unauthenticated) {
		challenge(w, r)
	}
	switch {
	case rt.isPage():
		s.refusePage(w, r, rt, c, err)
	case isSignIn(rt) || rt.Path == breakGlass: // a browser follows the redirect, and a person reads the answer
		s.failSignIn(w, r, err)
	default:
		s.refuse(w, r, err)
		if rt.takesDocument() {
			problem.DiscardRest(w, r)
		}
	}
}

// actor returns the actor for the logs.
func (s *server) actor(ctx context.Context, r *http.Request, c *caller) audit.Actor {
	if !c.SignedIn {
		return audit.Actor{Kind: "anonymous", Address: s.address(r), RequestID: telemetry.RequestID(ctx)}
	}
	return audit.Actor{Kind: "user", UserID: c.user.ID, Name: c.user.Name, Method: c.session.Method, SessionID: c.session.ID,
		Address: s.address(r), RequestID: telemetry.RequestID(ctx)}
}

// within limits the time for handling a request. Webhooks have their own limit.
func (s *server) within(ctx context.Context, rt Route) (context.Context, context.CancelFunc) {
	if rt.auth() == authSignature {
		return ctx, func() {}
	}
	if _, isSlow := rt.handler.(slowHandler); isSlow {
		return context.WithTimeout(ctx, auditTime)
	}
	if rt.takesDocument() {
		return context.WithTimeout(ctx, upload.Time+upload.SearchTime+s.Timeout)
	}
	if rt.asksServer() {
		return context.WithTimeout(ctx, min(s.Timeout, questionTime))
	}
	if rt.auth() == authMCPToken {
		return context.WithTimeout(ctx, s.Timeout+mcpserver.LongestCall)
	}
	if rt.streams() {
		return context.WithTimeout(ctx, s.Timeout+s.Streams.Longest)
	}
	return context.WithTimeout(ctx, s.Timeout)
}

// admit authenticates and authorizes a request. It returns the caller even with an error, if the caller is
// known by then. It reads the body if the route is a page whose form holds the CSRF token.
func (s *server) admit(w http.ResponseWriter, r *http.Request, rt Route) (*caller, error) {
	if err := s.limitRoute(r, rt); err != nil {
		return nil, err
	}
	c := &caller{}
	switch rt.auth() {
	case authSignature:
		return c, nil
	case authMCPToken:
		var err error
		if c, err = s.byToken(r, rt); err != nil {
			return nil, err
		}
		if err := s.limits.person.take(c.user.ID); err != nil {
			return c, err
		}
		if err := s.limits.token.take(c.token.Token); err != nil {
			return c, err
		}
		if err := checkTokenScope(rt, c); err != nil {
			return c, err
		}
	case authSession:
		var err error
		if c, err = s.signedIn(r); err != nil {
			return nil, err
		}
		if err := s.limits.person.take(c.user.ID); err != nil {
			return c, err
		}
		if below(rt.Path, myInvitations) {
			if err := s.limits.guess.take("invitation " + c.user.ID); err != nil {
				return c, err
			}
		}
	}
	if rt.greetsSignedIn() && len(tokens(r)) > 0 {
		known, err := s.signedIn(r)
		if err != nil && !errs.Is(err, errs.Unauthenticated) {
			return nil, err
		}
		if err == nil {
			if err := s.limits.person.take(known.user.ID); err != nil {
				return known, err
			}
			c = known
		}
	}
	if err := s.setupOpen(r.Context(), rt, c); err != nil {
		return c, err
	}
	if err := s.checkForgery(w, r, rt, c); err != nil {
		return c, err
	}
	if err := s.enterPath(r, rt, c); err != nil {
		return c, err
	}
	if !c.Allows(rt.Permission) {
		if rt.isPage() && rt.Permission == perm.InstanceManage {
			return c, errs.Absent() // as for pages of tenants that the person does not belong to
		}
		return c, errs.New(errs.Forbidden, "forbidden", "Your role is too small for this.")
	}
	return c, nil
}

// checkForgery refuses a forged change, which another site made the browser send.
func (s *server) checkForgery(w http.ResponseWriter, r *http.Request, rt Route, c *caller) error {
	if !rt.changes() {
		return nil
	}
	if err := s.sameOrigin(r); err != nil || rt.auth() != authSession {
		return err
	}
	if rt.isPage() {
		if csrf, _ := formValue(w, r, "csrf"); !sameToken(csrf, c.session.CSRF) {
			return errs.New(errs.Forbidden, "csrf", "The form is too old. Load the page again.")
		}
		return nil
	}
	if !sameToken(r.Header.Get("X-CSRF-Token"), c.session.CSRF) {
		return errs.New(errs.Forbidden, "csrf", "The header X-CSRF-Token must hold the csrfToken of GET /api/me.")
	}
	return nil
}

// enterPath finds the path's tenant and repository. Those of other tenants are reported as absent, with the
// same work as for an unknown id.
func (s *server) enterPath(r *http.Request, rt Route, c *caller) error {
	names := params(rt.Path)
	for _, name := range names {
		if !plausibleID(r.PathValue(name)) {
			return errs.Absent()
		}
	}
	if !slices.Contains(names, "tenantId") {
		return nil
	}
	if err := s.enter(r.Context(), c, r.PathValue("tenantId")); err != nil {
		return err
	}
	if !slices.Contains(names, "repositoryId") {
		return nil
	}
	return s.enterRepository(r.Context(), c, r.PathValue("repositoryId"), rt.decides())
}

// enter makes a tenant the caller's place if the caller is a member.
func (s *server) enter(ctx context.Context, c *caller, tenant string) error {
	t := domain.Tenant{ID: tenant}
	if c.token.Token != "" && c.token.Tenant != tenant { // a token opens one tenant, whatever its owner is elsewhere
		t.ID = ""
	}
	role, err := s.roleIn(ctx, t, c)
	if err != nil {
		return err
	}
	if role == "" {
		return errs.Absent()
	}
	c.tenant, c.Tenant = t, role
	noteOf(ctx).tenant = tenant
	return nil
}

// roleIn returns the caller's role in a tenant, by the session if there is one, else by the token.
func (s *server) roleIn(ctx context.Context, t domain.Tenant, c *caller) (domain.Role, error) {
	if c.session.ID == "" {
		return s.Auth.TenantRole(ctx, t, c.user.ID)
	}
	return s.Auth.SessionRole(ctx, t, c.session)
}

// enterRepository makes a repository of the caller's tenant the caller's place. If decides is true, the
// host's answer on the role must not be older than a minute.
func (s *server) enterRepository(ctx context.Context, c *caller, repository string, decides bool) error {
	row, err := s.Store.Repository(ctx, c.tenant, repository)
	if err != nil {
		return err
	}
	if c.Repository, err = s.Auth.RepositoryRole(ctx, c.tenant, row, c.user.ID, c.Tenant, decides); err != nil {
		return err
	}
	if c.Repository == perm.RepoNone {
		return errs.Absent()
	}
	c.repository = row
	return nil
}

// plausibleID reports whether a part of a path can be an id or a slug. Other texts are not looked up in the
// database.
func plausibleID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// sameOrigin refuses changes that a browser sends from another site. Browsers send Origin with every
// change; a request with Sec-Fetch-Site and without Origin is refused too. Programs send neither header.
func (s *server) sameOrigin(r *http.Request) error {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "" {
		return nil
	}
	if len(origins) == 1 && (s.ownOrigin(origins[0]) || origins[0] == s.Instance.BaseURL(r.Context())) {
		return nil
	}
	return errs.New(errs.Forbidden, "foreign_origin", "The request must come from the service's own pages: Origin must be the "+
		"public base URL.")
}

func (s *server) ownOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Path != "" || u.User != nil || !strings.EqualFold(hostPort(u), hostPort(s.origin)) &&
		!(s.TrustProxyTLS && strings.EqualFold(u.Host, s.origin.Host)) {
		return false
	}
	return u.Scheme == s.origin.Scheme || s.TrustProxyTLS && u.Scheme == "https"
}

// hostPort returns a host with its port, by default that of the scheme.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Hostname() + ":" + port
}

// sameToken compares tokens in constant time. An empty token never matches.
func sameToken(got, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1
}
