package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/secret"
)

// modelFlags name the model of a command that needs no service.
type modelFlags struct {
	ModelURL     string        `name:"model-url" env:"ASSAY_REVIEW_MODEL_URL" placeholder:"URL" help:"Where the model is reached, with the version of the interface (…/v1). Kinds with one address need none."`
	ModelKind    string        `name:"model-kind" env:"ASSAY_REVIEW_MODEL_KIND" enum:"compatible,openai,anthropic,mistral,azure,bedrock" default:"compatible" placeholder:"KIND" help:"Whose interface it speaks: compatible (with OpenAI's, the default), openai, anthropic, mistral, azure, bedrock (with its address in --model-url)."`
	Model        string        `env:"ASSAY_REVIEW_MODEL" placeholder:"NAME" help:"Model to ask. Without one only deterministic checks run."`
	ModelFast    string        `name:"model-fast" placeholder:"NAME" help:"Another model for short questions."`
	ModelStrong  string        `name:"model-strong" placeholder:"NAME" help:"Another model for finding and checking defects."`
	ModelEffort  string        `name:"model-effort" enum:"none,minimal,low,medium,high,xhigh,max," default:"" placeholder:"EFFORT" help:"How much it is asked to reason: none, minimal, low, medium, high, xhigh, max. Default: that of the provider."`
	ModelContext int           `name:"model-context" env:"ASSAY_REVIEW_MODEL_CONTEXT" default:"0" placeholder:"TOKENS" help:"How many tokens input and answer of the model may have together, at least 8000, such as num_ctx of Ollama. Default: the known size of the model, else 32000."`
	ModelKeyFile string        `name:"model-key-file" env:"ASSAY_REVIEW_MODEL_KEY_FILE" placeholder:"FILE" help:"File with the key of the endpoint. The key itself can be in $$ASSAY_REVIEW_MODEL_KEY."`
	ModelWait    time.Duration `name:"model-wait" default:"30s" placeholder:"TIME" help:"How long to wait in all for a model that is down or overloaded, at most 1h. Default: 30s. 0s: not at all."`

	proxy secret.Secret // from the environment, if a contract says so; empty for no proxy
}

// minContext and maxContext bound --model-context, like contextTokens in model policies.
const minContext, maxContext = 8_000, 100_000_000

func (m *modelFlags) check(e *env) error {
	kind, known := catalog.KindOf(m.ModelKind)
	switch {
	case !known:
		return usageError("--model-kind must be one of compatible, openai, anthropic, mistral, azure, bedrock")
	case m.ModelEffort != "" && !llm.Effort(m.ModelEffort).Valid():
		return usageError("--model-effort must be one of none, minimal, low, medium, high, xhigh, max")
	case m.ModelContext != 0 && (m.ModelContext < minContext || m.ModelContext > maxContext):
		return usageError("--model-context must be between %d and %d", minContext, maxContext)
	case m.ModelURL != "" && m.Model == "":
		return usageError("--model-url and --model go together ($ASSAY_REVIEW_MODEL_URL and $ASSAY_REVIEW_MODEL count, too)")
	case m.Model != "" && m.base() == "":
		return usageError("--model-url and --model go together: models of the kind %s have no address of their own", m.ModelKind)
	case m.Model != "" && kind.KeyRequired && m.ModelKeyFile == "" && e.variable("ASSAY_REVIEW_MODEL_KEY") == "":
		return usageError("%s wants a key: name its file with --model-key-file, or set $ASSAY_REVIEW_MODEL_KEY", kind.Name)
	case m.Model == "" && (m.ModelFast != "" || m.ModelStrong != "" || m.ModelEffort != "" || m.ModelKeyFile != ""):
		return usageError("--model-key-file, --model-fast, --model-strong and --model-effort go with --model")
	case m.ModelWait < 0 || m.ModelWait > time.Hour:
		return usageError("--model-wait must be between 0s and 1h")
	}
	return nil
}

// key returns the kind and address of the model.
func (m *modelFlags) key() catalog.Key {
	return catalog.Key{Kind: m.ModelKind, BaseURL: m.ModelURL}
}

// base returns the address of the model.
func (m *modelFlags) base() string {
	if m.ModelURL != "" && m.ModelKind != catalog.Azure {
		return strings.TrimRight(m.ModelURL, "/")
	}
	return m.key().Endpoint()
}

// open returns the routes of the model that the flags name, nil if they name no model. It reports attempts to
// tried, which may be nil.
func (m *modelFlags) open(e *env, tried func(ctx context.Context, a endpoint.Attempt)) (*ask.Models, error) {
	if m.Model == "" {
		return nil, nil
	}
	key, err := m.secret(e)
	if err != nil {
		return nil, err
	}
	return m.connect(key, tried)
}

// connect returns the routes of the model that the flags name, with a key for its endpoint.
func (m *modelFlags) connect(key secret.Secret, tried func(ctx context.Context, a endpoint.Attempt)) (*ask.Models, error) {
	client, err := localClient(m.base(), m.proxy)
	if err != nil {
		return nil, err
	}
	codec, err := connect.Endpoint{Key: m.key(), BaseURL: m.base(), APIKey: key, HTTP: client}.Codec()
	if err != nil {
		return nil, err
	}
	set := endpoint.New(endpoint.Options{Concurrent: 4, Retry: endpoint.Retry{Window: 10*time.Minute + m.ModelWait,
		InPlace: max(m.ModelWait, 1)}})
	asked := set.For("local").Wrap(codec, time.Time{}, endpoint.Hooks{Tried: tried})
	route := func(tier, name string) ask.Route {
		if name == "" {
			name = m.Model
		}
		return ask.Route{Client: asked, Model: name, Tier: tier, Effort: llm.Effort(m.ModelEffort),
			Window: cmp.Or(m.ModelContext, int(m.key().Window(name)))}
	}
	return &ask.Models{Fast: route("fast", m.ModelFast), Standard: route("standard", ""), Strong: route("strong", m.ModelStrong)}, nil
}

// waiting returns a function that prints to stderr, once for each reason, why a model is asked again and after
// how long.
func (e *env) waiting(most time.Duration) func(ctx context.Context, a endpoint.Attempt) {
	var mu sync.Mutex
	said := map[string]bool{}
	return func(_ context.Context, a endpoint.Attempt) {
		failed, ok := errors.AsType[*llm.Error](a.Err)
		if !ok || a.Wait == 0 {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if words := printable(failed.Words()); !said[words] {
			said[words] = true
			e.clearProgress()
			e.say("The model does not answer: %s It is asked again, for %s at most (--model-wait).", words, most)
		}
	}
}

// clearProgress removes the line of progress from a terminal.
func (e *env) clearProgress() {
	if terminal(e.stderr) {
		_, _ = fmt.Fprint(e.stderr, "\r\x1b[K") // ECMA-48, EL
	}
}

// maxKey bounds the file with a key, in bytes.
const maxKey = 64 << 10

func (m *modelFlags) secret(e *env) (secret.Secret, error) {
	if m.ModelKeyFile == "" {
		return secret.New(strings.TrimSpace(e.variable("ASSAY_REVIEW_MODEL_KEY"))), nil
	}
	f, err := os.Open(m.ModelKeyFile)
	if err != nil {
		return secret.Secret{}, fmt.Errorf("--model-key-file: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxKey+1))
	switch {
	case err != nil:
		return secret.Secret{}, fmt.Errorf("--model-key-file: %w", err)
	case len(raw) > maxKey:
		return secret.Secret{}, fmt.Errorf("--model-key-file: %s is too large for a key", m.ModelKeyFile)
	}
	return secret.New(strings.TrimSpace(string(raw))), nil
}

// localClient returns a client for the endpoint that the user named. It may reach that endpoint on this
// machine or in a private network, but nothing else that is private.
func localClient(base string, proxy secret.Secret) (*http.Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--model-url must be an address such as http://localhost:11434/v1")
	}
	host := u.Host
	if u.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	f := outbound.New(outbound.Policy{AllowHTTP: true, AllowedHosts: []string{host}, ProxyURL: proxy, UserAgent: "assay/" + version})
	return f.Client(outbound.Purpose{Name: "model", Timeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxResponseBytes: 16 << 20}), nil
}
