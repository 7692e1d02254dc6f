package answers

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"hash/crc32"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/bitbucketcloud"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/gitea"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/codehost/gitlab"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/anthropic"
	"github.com/assay-dev/assay/internal/llm/bedrock"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/llm/responses"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/azureboards"
	"github.com/assay-dev/assay/internal/tracker/jira"
	"github.com/assay-dev/assay/internal/tracker/linear"
)

// mostKept bounds the memory kept for one answer, or for one list without an end, in MiB.
const mostKept = 32

// client is a client under test: its methods, or one function.
type client struct {
	of   any    // every exported method that takes a context is called
	text string // text for parameters of type string; "" for [id]
	ask  func(context.Context) any
}

// clients returns all clients that ask servers chosen by a tenant.
func clients(t *testing.T, s *server) map[string]client {
	t.Helper()
	plain := &http.Client{Transport: &http.Transport{}}
	at, err := url.Parse(s.URL)
	testkit.OK(t, err)
	port, err := strconv.Atoi(at.Port())
	testkit.OK(t, err)
	factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
	t.Cleanup(factory.Close)
	token := secret.New("a-token" + "-of-a-test")
	out := map[string]client{}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	testkit.OK(t, err)
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	hub, err := github.New(github.Config{AppID: "5", PrivateKeyPEM: secret.New(string(pemKey)), APIURL: s.URL + "/", HTTP: plain, Gate: &codehosttest.Gate{}})
	testkit.OK(t, err)
	signIn, err := github.NewSignIn(hub, "client", token, factory.Client(outbound.Purpose{Name: "sign-in"})) // which follows no redirect
	testkit.OK(t, err)
	out["GitHub"], out["GitHub sign-in"] = client{of: hub}, client{of: signIn}
	lab, err := gitlab.New(gitlab.Config{BaseURL: s.URL, Owner: "octo", Token: token, Connection: "c1", HTTP: plain, Gate: &codehosttest.Gate{}})
	testkit.OK(t, err)
	out["GitLab"] = client{of: lab}
	bucket, err := bitbucketcloud.New(bitbucketcloud.Config{Config: wire.Config{BaseURL: s.URL, Owner: "octo", Token: token, Connection: "c1", HTTP: plain, Gate: &codehosttest.Gate{}}})
	testkit.OK(t, err)
	out["Bitbucket Cloud"] = client{of: bucket}
	kinds := []domain.ConnectionKind{domain.Gitea}
	if full() { // it speaks as Gitea does
		kinds = append(kinds, domain.Forgejo)
	}
	for _, kind := range kinds {
		host, err := gitea.New(gitea.Config{Kind: kind, BaseURL: s.URL, Owner: "octo", Token: token, Connection: "c1", HTTP: plain, Gate: &codehosttest.Gate{}})
		testkit.OK(t, err)
		out[string(kind)] = client{of: host}
	}
	for name, open := range map[string]func(tracker.Config) (tracker.Tracker, error){"Jira": jira.New, "Linear": linear.New, "Azure Boards": azureboards.New} {
		kind := map[string]domain.ConnectionKind{"Jira": domain.Jira, "Linear": domain.Linear, "Azure Boards": domain.AzureBoards}[name]
		port, err := open(tracker.Config{Kind: kind, BaseURL: s.URL, Client: plain, Email: "a@example.com", Token: func(context.Context) (secret.Secret, error) { return token, nil }})
		testkit.OK(t, err)
		out[name] = client{of: port, text: map[string]string{"Jira": "PAY-1", "Linear": "ENG-1", "Azure Boards": "4711"}[name]}
	}
	for name, open := range map[string]func() (llm.Client, error){
		"chat": func() (llm.Client, error) { return chat.New(chat.Config{BaseURL: s.URL, APIKey: token, HTTP: plain}) },
		"responses": func() (llm.Client, error) {
			return responses.New(responses.Config{BaseURL: s.URL, APIKey: token, HTTP: plain})
		},
		"anthropic": func() (llm.Client, error) {
			return anthropic.New(anthropic.Config{BaseURL: s.URL, APIKey: token, HTTP: plain})
		},
		"bedrock": func() (llm.Client, error) {
			return bedrock.New(bedrock.Config{RuntimeURL: s.URL, ControlURL: s.URL, APIKey: token, HTTP: plain})
		},
	} {
		model, err := open()
		testkit.OK(t, err)
		out[name] = client{of: model}
	}
	out["tool server"] = client{ask: func(ctx context.Context) any {
		list, _ := mcpclient.List(ctx, factory, mcpclient.Server{Tenant: "ten_1", URL: s.URL}, time.Minute)
		return list
	}}
	out["identity provider"] = client{ask: func(ctx context.Context) any {
		return oidc.New(oidc.Config{Factory: factory}).Test(ctx, oidc.Provider{Issuer: s.URL, ClientID: "x", ClientSecret: token}, "https://assay.example/back")
	}}
	return out
}

// calls returns the methods of a client that make requests, by name.
func (c client) calls() map[string]func(context.Context) any {
	if c.ask != nil {
		return map[string]func(context.Context) any{"ask": c.ask}
	}
	out := map[string]func(context.Context) any{}
	v := reflect.ValueOf(c.of)
	for i := range v.NumMethod() {
		m, at := v.Type().Method(i), v.Method(i)
		if at.Type().NumIn() == 0 || at.Type().In(0) != reflect.TypeFor[context.Context]() {
			continue
		}
		out[m.Name] = func(ctx context.Context) any {
			args := []reflect.Value{reflect.ValueOf(ctx)}
			for n := 1; n < at.Type().NumIn(); n++ {
				args = append(args, c.argument(at.Type().In(n)))
			}
			return at.Call(args)
		}
	}
	return out
}

// given are arguments with which methods send their requests.
var given = map[reflect.Type]any{
	reflect.TypeFor[func(io.Reader) error](): func(r io.Reader) error { _, err := io.Copy(io.Discard, r); return err },
	reflect.TypeFor[codehost.Repo]():         codehost.Repo{Access: "5", ExternalID: "5", Owner: "octo", Name: "demo"},
	reflect.TypeFor[int]():                   7,
	reflect.TypeFor[int64]():                 int64(7),
	reflect.TypeFor[string]():                id,
	reflect.TypeFor[[]string]():              []string{"bug"},
	reflect.TypeFor[bool]():                  true,
	reflect.TypeFor[domain.HostID]():         domain.HostID("5"),
	reflect.TypeFor[[]domain.HostID]():       []domain.HostID{"5"},
	reflect.TypeFor[codehost.Spot]():         codehost.Spot{Number: 7},
	reflect.TypeFor[codehost.Check]():        codehost.Check{ExternalID: "run_1", Name: "assay", Number: 7, HeadSHA: id, Status: "completed", Conclusion: "success"},
	reflect.TypeFor[codehost.Draft]():        codehost.Draft{Commit: id, Body: markdown.Const("x")},
	reflect.TypeFor[codehost.DraftComment](): codehost.DraftComment{Path: "a.go", Side: "RIGHT", Line: 1, Body: markdown.Const("x")},
	reflect.TypeFor[markdown.Text]():         markdown.Const("x"),
	reflect.TypeFor[secret.Secret]():         secret.New("a-token" + "-of-a-test"),
	reflect.TypeFor[codehost.Person]():       codehost.Person{ID: "5", Login: "octo"},
	reflect.TypeFor[codehost.NewCommit]():    codehost.NewCommit{Branch: "b", Head: id, Message: "x", Files: []codehost.FileChange{{Path: "a", Content: []byte("x")}}},
	reflect.TypeFor[codehost.NewPull]():      codehost.NewPull{Branch: "b", Base: "main", Title: markdown.Const("x")},
	reflect.TypeFor[tracker.Want]():          tracker.Want{Comments: true, Links: true},
	reflect.TypeFor[llm.Request]():           llm.Request{Model: "m", MaxOutputTokens: 10, Messages: []llm.Message{{Role: llm.User, Text: "x"}}},
	reflect.TypeFor[llm.EmbedRequest]():      llm.EmbedRequest{Model: "m", Texts: []string{"x"}, Size: 384},
	reflect.TypeFor[codehost.Installation](): codehost.Installation{ID: "5", AccountID: "9", AccountLogin: "octo", AccountType: "Organization"},
}

func (c client) argument(of reflect.Type) reflect.Value {
	if of.Kind() == reflect.String && c.text != "" {
		return reflect.ValueOf(c.text)
	}
	if v, known := given[of]; known {
		return reflect.ValueOf(v)
	}
	return reflect.Zero(of)
}

// No answer, and no list without an end, costs more memory than its bound, at any request of a method.
// Every method that makes requests is tried.
func TestHostileAnswersAreBounded(t *testing.T) {
	s := newServer(t)
	depths := 2
	s.limit = 20
	if full() {
		depths, s.limit = 5, 300
	}
	for name, c := range clients(t, s) {
		t.Run(name, func(t *testing.T) { c.try(t, s, depths) })
	}
}

// sampled are the answers that are tried unless all are: two of them for each method, in turn.
var sampled = []string{"empty entries", "empty entries in lists", "lists in an entry", "members", "pages of long texts"}

// tries reports whether a kind of answer is tried with a method.
func tries(method, kind string) bool {
	i := slices.Index(sampled, kind)
	turn := int(crc32.ChecksumIEEE([]byte(method)) % uint32(len(sampled)))
	return full() || i == turn || i == (turn+2)%len(sampled)
}

func full() bool { return os.Getenv("ASSAY_HOSTILE") == "full" }

// try gives every hostile answer to each method, also after some valid ones.
func (c client) try(t *testing.T, s *server, depths int) {
	tried, asked := 0, 0
	for method, call := range c.calls() {
		for kind, answer := range hostile {
			if !tries(method, kind) {
				continue
			}
			for well := range depths {
				s.begin(well, answer)
				got := call(t.Context())
				s.look()
				runtime.KeepAlive(got)
				if n := s.grown(); n > mostKept {
					t.Errorf("%s, %s after %d good answers: %d MiB are kept", method, kind, well, n)
				}
				tried, asked = tried+1, asked+s.asked
				if s.asked <= well { // it made no further request
					break
				}
			}
		}
	}
	t.Logf("%d answers, %d requests", tried, asked)
}
