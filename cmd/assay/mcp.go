package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/zalando/go-keyring"

	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/internal/mcpbridge"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/assistant"
	"github.com/assay-dev/assay/internal/secret"
)

// keyringService is the service name of tokens in the system's keyring; the account is the address of the
// service.
const keyringService = "assay-mcp"

type mcpCmd struct {
	Server     string `placeholder:"URL" help:"Pass on to a running assay, such as https://assay.example.com, instead of this checkout."`
	TokenFile  string `placeholder:"FILE" help:"With --server: file with the token. Default: the system's keyring."`
	StoreToken bool   `help:"With --server: read the token from standard input, keep it in the system's keyring, and end."`

	ownerFlag  `embed:""`
	modelFlags `embed:""`
}

// Help implements kong.HelpProvider.
func (mcpCmd) Help() string {
	return `Serves a coding assistant over standard input and output, by the Model Context Protocol. Without --server it
needs no service: it reviews the checkout of the current folder, explains what was found and lists the guidelines that
hold for a file. The model is named as for assay review.

With --server it passes on to the endpoint /mcp of a service, for assistants that start programs only.

Examples:

    assay mcp
    assay mcp --model-url http://localhost:11434/v1 --model qwen3-coder
    assay mcp --server https://assay.example.com --store-token < token.txt
    assay mcp --server https://assay.example.com`
}

// Run implements the command.
func (c *mcpCmd) Run(e *env, given *kong.Context) error {
	if err := givenEmpty(given, nil); err != nil {
		return err
	}
	if e.stdin == nil {
		return errors.New("an assistant writes to the standard input of this command, and there is none")
	}
	if c.Server == "" {
		if c.TokenFile != "" || c.StoreToken {
			return usageError("--token-file and --store-token go with --server")
		}
		return c.checkout(e)
	}
	if c.Model != "" && e.variable("ASSAY_REVIEW_MODEL") == "" {
		return usageError("--server goes without the flags of a model: the service has its own")
	}
	endpoint, host, err := serviceAddress(c.Server)
	if err != nil {
		return err
	}
	if c.StoreToken {
		if c.TokenFile != "" {
			return usageError("--store-token reads from standard input: it goes without --token-file")
		}
		return storeToken(e, endpoint)
	}
	token, err := c.token(endpoint)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	f := outbound.New(outbound.Policy{AllowHTTP: true, AllowedHosts: []string{host}, UserAgent: "assay/" + version})
	b := mcpbridge.Bridge{Endpoint: endpoint, Token: token, Log: e.stderr,
		Client: f.Client(outbound.Purpose{Name: "mcp", Timeout: 30 * time.Minute, IdleTimeout: 5 * time.Minute, MaxResponseBytes: 64 << 20})}
	return b.Run(ctx, e.stdin, logsafe.Raw(e.stdout))
}

// checkout serves the checkout of the current folder.
func (c *mcpCmd) checkout(e *env) error {
	if err := c.check(e); err != nil {
		return err
	}
	models, err := c.open(e, nil)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	return assistant.Serve(ctx, io.NopCloser(e.stdin), unclosed{logsafe.Raw(e.stdout)},
		assistant.Options{Dir: ".", Environ: e.vars, TrustOwner: c.TrustOwner, Models: models, Version: version})
}

// unclosed is standard output that cannot be closed, because it is still needed at the end.
type unclosed struct{ io.Writer }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }

// serviceAddress returns the endpoint of the service at an address, and its host with port. Only this machine
// may use plain http, because a token goes with each request.
func serviceAddress(server string) (endpoint, host string, err error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" || strings.Trim(u.Path, "/") != "" && strings.Trim(u.Path, "/") != "mcp" {
		return "", "", usageError("--server must be the address of the service, such as https://assay.example.com")
	}
	if name := u.Hostname(); u.Scheme == "http" && name != "localhost" && name != "127.0.0.1" && name != "::1" {
		return "", "", usageError("--server must begin with https: the token goes with each request (http is for this machine only)")
	}
	host = u.Host
	if u.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	return u.Scheme + "://" + u.Host + "/mcp", host, nil
}

// token returns the token of --token-file or, without that flag, the one in the keyring.
func (c *mcpCmd) token(endpoint string) (secret.Secret, error) {
	if c.TokenFile != "" {
		f, err := os.Open(c.TokenFile)
		if err != nil {
			return secret.Secret{}, fmt.Errorf("--token-file: %w", err)
		}
		defer func() { _ = f.Close() }() // only read
		return readToken(f, "--token-file")
	}
	text, err := keyring.Get(keyringService, endpoint)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return secret.Secret{}, errors.New("the system's keyring has no token for this service: keep one with --store-token, or name a " +
			"file with --token-file")
	case err != nil:
		return secret.Secret{}, fmt.Errorf("the system's keyring cannot be asked (name a file with --token-file): %w", err)
	}
	return readToken(strings.NewReader(text), "the token of the keyring")
}

func storeToken(e *env, endpoint string) error {
	token, err := readToken(e.stdin, "standard input")
	if err != nil {
		return err
	}
	if err := keyring.Set(keyringService, endpoint, token.Reveal()); err != nil {
		return fmt.Errorf("the system's keyring does not take the token (name a file with --token-file): %w", err)
	}
	e.say("The token is in the system's keyring.")
	return nil
}

// readToken reads a token of one line that fits into a header.
func readToken(from io.Reader, what string) (secret.Secret, error) {
	raw, err := io.ReadAll(io.LimitReader(from, maxKey+1))
	if err != nil {
		return secret.Secret{}, fmt.Errorf("%s: %w", what, err)
	}
	text := strings.TrimSpace(string(raw))
	if text == "" || len(raw) > maxKey || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return secret.Secret{}, fmt.Errorf("%s: must be one token, in one line", what)
	}
	return secret.New(text), nil
}
