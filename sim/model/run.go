package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// RunOptions configures a simulated model that runs as a process.
type RunOptions struct {
	// Addr is the address to listen on; empty means a free port of 127.0.0.1.
	Addr string
	// BaseURL is passed to ready; empty means "http://", the listener's address and "/v1".
	BaseURL string
	// APIKey as in Options; APIKeyFile names a file that holds it.
	APIKey, APIKeyFile string
	// Models, Strict, Efforts and Rules as in Options; RulesFile names a JSON file with a list of further
	// rules.
	Models    []string
	Strict    bool
	Efforts   []string
	Rules     []Rule
	RulesFile string
	// ControlToken as in Options; ControlTokenFile, if set, gets the token in use (mode 0600).
	ControlToken, ControlTokenFile string
}

// Run serves until the context ends. It calls ready, if not nil, once with the base URL of the model's
// interface, which ends in /v1; the control interface is at /_sim of the same address.
func Run(ctx context.Context, opt RunOptions, ready func(baseURL string)) error {
	s, err := newFromFiles(opt)
	if err != nil {
		return err
	}
	if opt.Addr == "" {
		opt.Addr = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opt.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", opt.Addr, err)
	}
	if opt.BaseURL == "" {
		opt.BaseURL = "http://" + listener.Addr().String() + "/v1"
	}
	if opt.ControlTokenFile != "" {
		if err := os.WriteFile(opt.ControlTokenFile, []byte(s.ControlToken()+"\n"), 0o600); err != nil {
			return errors.Join(fmt.Errorf("write the control token: %w", err), listener.Close())
		}
	}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	if ready != nil {
		ready(opt.BaseURL)
	}
	ended := false
	select {
	case <-ctx.Done():
	case err = <-served:
		ended = true
	}
	s.Close()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if server.Shutdown(stop) != nil {
		_ = server.Close() // ends requests whose client does not read
	}
	if !ended {
		<-served
	}
	return err
}

func newFromFiles(opt RunOptions) (*Server, error) {
	if opt.APIKeyFile != "" {
		raw, err := os.ReadFile(opt.APIKeyFile)
		if err != nil {
			return nil, fmt.Errorf("API key: %w", err)
		}
		opt.APIKey = strings.TrimSpace(string(raw))
	}
	rules := append([]Rule(nil), opt.Rules...)
	if opt.RulesFile != "" {
		raw, err := os.ReadFile(opt.RulesFile)
		if err != nil {
			return nil, fmt.Errorf("rules: %w", err)
		}
		var more []Rule
		if err := json.Unmarshal(raw, &more); err != nil {
			return nil, fmt.Errorf("rules: %s must hold a JSON list of rules: %w", opt.RulesFile, err)
		}
		rules = append(rules, more...)
	}
	return New(Options{APIKey: opt.APIKey, Models: opt.Models, Strict: opt.Strict, Efforts: opt.Efforts, Rules: rules,
		ControlToken: opt.ControlToken})
}
