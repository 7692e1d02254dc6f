package tracker

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// speaker is a dialect of the interface.
type speaker struct {
	// prefixes are the beginnings of the interface's paths.
	prefixes []string
	// serve answers a request. Its caller is nil if it is anonymous.
	serve func(*call) *reply
	// fail returns an internal error of the tracker; limited asks to wait, denied refuses.
	fail    func(status int, message string) *reply
	limited func(*Server, shared.Fault) *reply
	denied  func(*Server) *reply
	// sealed are paths whose requests contain secrets, so the record omits the bodies.
	sealed []string
	// deliver returns headers and body of a webhook; Server.Mu is held.
	deliver func(*Server, *hook, issueEvent) (map[string]string, []byte)
}

var speakers = map[simapi.Dialect]speaker{
	simapi.Linear: linearSpeaker(), simapi.JiraCloud: jiraSpeaker(), simapi.JiraServer: jiraSpeaker(),
	simapi.AzureBoards: azureSpeaker(),
}

// call is one request of the interface. Its path is below the tracker's own.
type call struct {
	*host.Call
	s     *Server
	actor *account // nil: an anonymous request
}

// maxBody bounds a request.
const maxBody = 16 << 20

// router divides requests among the interface and pages, all below the path of the tracker.
func (s *Server) router() http.Handler {
	pages := s.pageHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, inside := strings.CutPrefix(r.URL.EscapedPath(), s.Below())
		if !inside {
			http.NotFound(w, r)
			return
		}
		for _, p := range s.speak.prefixes {
			if strings.HasPrefix(path, p) || strings.Contains(p, "_apis") && strings.Contains(path, p) {
				s.ServeAPI(w, r, path)
				return
			}
		}
		pages(w, r, path)
	})
}

// begin finds the caller of a request.
func (s *Server) begin(in *host.Call) func() *reply {
	c := &call{Call: in, s: s, actor: s.authenticate(in.R)}
	c.Rec.Write, c.Rec.Operation = s.isWrite(c.R, c.Path, c.Body), operation(c.Path, c.Body)
	if c.actor != nil {
		c.Rec.Actor = c.actor.Name
	}
	if c.Rec.Write && !slices.ContainsFunc(s.speak.sealed, func(p string) bool { return strings.HasPrefix(c.Path, p) }) {
		c.Rec.Body = string(c.Body)
	}
	return func() *reply { return s.speak.serve(c) }
}

// broken returns the tracker's internal error.
func (s *Server) broken(status int) *reply { return s.speak.fail(status, "Internal server error") }

func (s *Server) tooLarge() *reply {
	return s.speak.fail(http.StatusRequestEntityTooLarge, "Request entity too large")
}

// canned returns the answers of faults that apply nothing.
func (s *Server) canned(f shared.Fault) *reply {
	switch f.Action {
	case shared.Forbidden:
		return s.speak.denied(s)
	case shared.SecondaryRetryAfter, shared.PrimaryLimit:
		return s.speak.limited(s, f)
	}
	return nil
}

// isWrite reports whether a request may change something. GraphQL queries and searches use POST, but only
// read.
func (s *Server) isWrite(r *http.Request, path string, body []byte) bool {
	switch {
	case path == "/graphql":
		return strings.HasPrefix(operation(path, body), "mutation")
	case strings.HasSuffix(path, "/wiql"), strings.HasSuffix(path, "/artifacturiquery"), strings.HasSuffix(path, "/search"),
		strings.HasSuffix(path, "/search/jql"):
		return false
	}
	return host.IsWrite(r.Method)
}

// head sets the headers of every answer.
func head(h http.Header, rec *shared.Request, _ *reply) {
	h.Set("X-Request-Id", "sim-"+strconv.FormatInt(rec.Seq, 10))
}

// authenticate returns the account of the credential: a bearer token, the password of Basic, or (Linear) a
// bare personal key.
func (s *Server) authenticate(r *http.Request) *account {
	value := r.Header.Get("Authorization")
	text, bearer := strings.CutPrefix(value, "Bearer ")
	user := ""
	if basic, ok := strings.CutPrefix(value, "Basic "); ok {
		raw, err := base64.StdEncoding.DecodeString(basic)
		if err != nil {
			return nil
		}
		user, text, _ = strings.Cut(string(raw), ":")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	t := s.st.Tokens[text]
	if t == nil || t.Expires != 0 && t.Expires <= s.NowMicros() {
		return nil
	}
	who := s.st.account(t.Account)
	switch {
	case s.dialect == simapi.Linear && t.OAuth != bearer,
		s.dialect == simapi.JiraCloud && (bearer || user != who.Email),
		s.dialect == simapi.JiraServer && !bearer:
		return nil
	}
	return who
}

// wrote records that the call changed something.
func (c *call) wrote(kind, verb string, i *issue) {
	c.Wrote(shared.Write{Kind: kind, Verb: verb, Repository: c.s.key(i), Number: i.Number})
}

// decode reads a JSON body.
func (c *call) decode(v any) bool { return json.Unmarshal(c.Body, v) == nil }

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }
