package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// hookPatience is how long the sample waits for the service to register its
// webhook (design choice). What is opened before, the service finds by itself later.
const hookPatience = 30 * time.Second

// tokenHost is a simulated host to which the service is connected by the token of a
// machine account. The service registers its webhook itself.
type tokenHost struct {
	dir  string
	kind domain.ConnectionKind
	log  *slog.Logger
	// args start the simulator, without its folder.
	args []string
	// dial makes the client of a simulator that listens.
	dial func(base, token string) tokenSim
	sim  tokenSim // since connect
}

// tokenSim is what differs between the hosts that are connected by a token.
type tokenSim interface {
	shared.Seeder
	BaseURL() string
	GetPull(ctx context.Context, repository string, number int) (shared.Pull, error)
	// robot makes what has the token, with the right to review both sample repositories and to manage their webhooks.
	robot(ctx context.Context) (token string, err error)
	// hooked reports whether a repository has a webhook that is sent something.
	hooked(ctx context.Context, repository string) (bool, error)
	// page is the path of the page of a pull request.
	page(repository string, number int) string
	// reviews lists the submitted reviews of a pull request.
	reviews(ctx context.Context, repository string, number int) ([]shared.Review, error)
}

func (h *tokenHost) arguments() ([]string, error) {
	return append(h.args, "--data", filepath.Join(h.dir, string(h.kind))), nil
}

func (h *tokenHost) connect(ctx context.Context, base, token string) (config.Bootstrap, error) {
	h.sim = h.dial(base, token)
	key, err := h.robot(ctx)
	if err != nil {
		return config.Bootstrap{}, fmt.Errorf("the account on the simulated %s: %w", h.kind, err)
	}
	return config.Bootstrap{Connection: config.BootstrapConnection{Kind: string(h.kind), Name: codehost.NameOf(h.kind) + " of the demo", BaseURL: base, Owner: demo.Owner, Token: key,
		Repositories: []string{config.EveryRepository}, RegisterWebhooks: true}}, nil
}

// robot returns the token of the machine account. In a demo that is kept it is
// there with everything it may do; otherwise both are made, with the repositories.
func (h *tokenHost) robot(ctx context.Context) (secret.Secret, error) {
	file := filepath.Join(h.dir, "token")
	raw, err := os.ReadFile(file)
	if err == nil {
		return secret.New(strings.TrimSpace(string(raw))), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return secret.Secret{}, err
	}
	for _, step := range []func(context.Context, shared.Seeder) error{demo.SeedAccounts, demo.SeedRepository, demo.SeedPayouts} {
		if err := step(ctx, h.sim); err != nil {
			return secret.Secret{}, err
		}
	}
	text, err := h.sim.robot(ctx)
	if err != nil {
		return secret.Secret{}, err
	}
	return secret.New(text), os.WriteFile(file, []byte(text+"\n"), 0o600)
}

func (h *tokenHost) seed(ctx context.Context) error {
	if h.pull(ctx, demo.Repository, len(demo.PullRequests())) {
		return nil
	}
	if err := h.awaitHook(ctx, demo.Repository); err != nil {
		return err
	}
	if err := demo.OpenPulls(ctx, h.sim); err != nil {
		return fmt.Errorf("seed the simulated %s: %w", h.kind, err)
	}
	return nil
}

// awaitHook waits for the service's webhook of a repository: pull requests that are opened before
// it is there are told to nobody.
func (h *tokenHost) awaitHook(ctx context.Context, repository string) error {
	bounded, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		if there, err := h.sim.hooked(bounded, repository); err == nil && there {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-bounded.Done():
			h.log.Warn("the service has not registered its webhook: the sample pull requests are found when the service looks for them")
			return nil
		case <-tick.C:
		}
	}
}

func (h *tokenHost) page(repository string, number int) string {
	return h.sim.BaseURL() + h.sim.page(repository, number)
}

func (h *tokenHost) pull(ctx context.Context, repository string, number int) bool {
	_, err := h.sim.GetPull(ctx, repository, number)
	return err == nil // whatever else is wrong shows when it is made
}

func (h *tokenHost) open(ctx context.Context) error {
	if err := h.awaitHook(ctx, demo.Payouts); err != nil {
		return err
	}
	return demo.OpenHeld(ctx, h.sim)
}

func (h *tokenHost) reviews(ctx context.Context, number int) ([]shared.Review, error) {
	return h.sim.reviews(ctx, demo.Repository, number)
}
