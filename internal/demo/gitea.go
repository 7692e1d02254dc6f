package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitea/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// hookPatience is how long the sample waits for the service to register its
// webhook (design choice). What is opened before, the service finds by itself later.
const hookPatience = 30 * time.Second

// giteaHost is a simulated Gitea or Forgejo, to which the service is connected by the
// token of a machine account. The service registers its webhook itself.
type giteaHost struct {
	dir  string
	kind domain.ConnectionKind
	log  *slog.Logger
	sim  *simclient.Client
}

func (g *giteaHost) arguments() ([]string, error) {
	args := []string{"gitea", "--data", filepath.Join(g.dir, string(g.kind))}
	if g.kind == domain.Forgejo {
		args = append(args, "--forgejo")
	}
	return args, nil
}

func (g *giteaHost) connect(ctx context.Context, base, token string) (config.Bootstrap, error) {
	g.sim = simclient.New(base, token)
	key, err := g.robot(ctx)
	if err != nil {
		return config.Bootstrap{}, fmt.Errorf("the account on the simulated %s: %w", g.kind, err)
	}
	return config.Bootstrap{Connection: config.BootstrapConnection{Kind: string(g.kind), Name: codehost.NameOf(g.kind) + " of the demo", BaseURL: base, Owner: demo.Owner, Token: key,
		Repositories: []string{config.EveryRepository}, RegisterWebhooks: true}}, nil
}

// robot returns the token of the machine account. In a demo that is kept it is
// there with everything it may do; otherwise both are made, with the repository.
func (g *giteaHost) robot(ctx context.Context) (secret.Secret, error) {
	file := filepath.Join(g.dir, "token")
	raw, err := os.ReadFile(file)
	if err == nil {
		return secret.New(strings.TrimSpace(string(raw))), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return secret.Secret{}, err
	}
	for _, step := range []func(context.Context, shared.Seeder) error{demo.SeedAccounts, demo.SeedRepository, demo.SeedPayouts} {
		if err := step(ctx, g.sim); err != nil {
			return secret.Secret{}, err
		}
	}
	t, err := gitea.MakeRobot(ctx, g.sim)
	if err != nil {
		return secret.Secret{}, err
	}
	if err := g.sim.ChangeRepo(ctx, demo.Payouts, simapi.RepoChange{Collaborators: map[string]string{gitea.Robot: "admin"}}); err != nil {
		return secret.Secret{}, err
	}
	return secret.New(t.Text), os.WriteFile(file, []byte(t.Text+"\n"), 0o600)
}

func (g *giteaHost) seed(ctx context.Context) error {
	if g.pull(ctx, demo.Repository, len(demo.PullRequests())) {
		return nil
	}
	if err := g.awaitHook(ctx, demo.Repository); err != nil {
		return err
	}
	if err := demo.OpenPulls(ctx, g.sim); err != nil {
		return fmt.Errorf("seed the simulated %s: %w", g.kind, err)
	}
	return nil
}

// awaitHook waits for the service's webhook of a repository: pull requests that are opened before
// it is there are told to nobody.
func (g *giteaHost) awaitHook(ctx context.Context, repository string) error {
	bounded, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		hooks, err := g.sim.Hooks(bounded)
		if err == nil && slices.ContainsFunc(hooks, func(h simapi.Hook) bool { return h.Repository == repository && h.Active }) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-bounded.Done():
			g.log.Warn("the service has not registered its webhook: the sample pull requests are found when the service looks for them")
			return nil
		case <-tick.C:
		}
	}
}

// page is the address of a pull request there (Gitea 1.26.4, routers/web/web.go).
func (g *giteaHost) page(repository string, number int) string {
	return fmt.Sprintf("%s/%s/pulls/%d", g.sim.BaseURL(), repository, number)
}

func (g *giteaHost) pull(ctx context.Context, repository string, number int) bool {
	_, err := g.sim.GetPull(ctx, repository, number)
	return err == nil // whatever else is wrong shows when it is made
}

func (g *giteaHost) open(ctx context.Context) error {
	if err := g.awaitHook(ctx, demo.Payouts); err != nil {
		return err
	}
	return demo.OpenHeld(ctx, g.sim)
}

func (g *giteaHost) reviews(ctx context.Context, number int) ([]shared.Review, error) {
	return g.sim.VisibleReviews(ctx, demo.Repository, number)
}
