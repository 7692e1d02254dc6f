package main

import (
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/logsafe"
	"github.com/assay-dev/assay/sim/azuredevops"
	azureapi "github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/bitbucket"
	bucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/gitlab"
	labapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
	"github.com/assay-dev/assay/sim/tools"
	"github.com/assay-dev/assay/sim/tracker"
	trackerapi "github.com/assay-dev/assay/sim/tracker/simapi"
)

// simCmd runs simulators of outside systems as separate processes. A ready simulator prints a line of JSON
// with its address to stdout.
type simCmd struct {
	GitHub    simGitHubCmd    `cmd:"" name:"github" help:"A simulated GitHub: pages, REST and GraphQL, git, webhooks and faults on demand."`
	Gitea     simGiteaCmd     `cmd:"" help:"A simulated Gitea or Forgejo: pages, REST interface, git, webhooks, sign-in and faults on demand."`
	GitLab    simGitLabCmd    `cmd:"" name:"gitlab" help:"A simulated GitLab: REST interface, git, webhooks and faults on demand."`
	Azure     simAzureCmd     `cmd:"" name:"azure-devops" help:"A simulated Azure DevOps: pages, REST, git, service hooks and faults."`
	Bitbucket simBitbucketCmd `cmd:"" help:"A simulated Bitbucket: pages, REST interface, git, webhooks and faults on demand."`
	Tracker   simTrackerCmd   `cmd:"" help:"A simulated Linear, Jira or Azure Boards: API, pages, webhooks, app sign-in and faults on demand."`
	Tools     simToolsCmd     `cmd:"" help:"A simulated tool server of a team (Model Context Protocol): its services and runbooks."`
	Model     simModelCmd     `cmd:"" help:"A scripted model that speaks the dialects of all kinds of keys."`
}

// simHost has the flags of every simulated host and tracker.
type simHost struct {
	Addr             string `default:"127.0.0.1:0" help:"Address to listen on."`
	BaseURL          string `name:"base-url" help:"Address in answers. Default: that of the listener."`
	Data             string `help:"Folder for its state. Default: a temporary one."`
	ControlToken     string `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile string `help:"File to write that token to."`
}

// options returns the options that the flags set, with a logger.
func (s simHost) options(e *env) host.RunOptions {
	level := config.Default()
	level.LogLevel = "debug"
	return host.RunOptions{Addr: s.Addr, BaseURL: s.BaseURL, DataDir: s.Data, ControlToken: s.ControlToken,
		ControlTokenFile: s.ControlTokenFile, Logger: e.logger(level)}
}

// simSeed has the flag of hosts with the sample.
type simSeed struct {
	Seed string `help:"demo: write the sample repository with open pull requests."`
}

// simHook has the flags of hosts that make a webhook of the sample.
type simHook struct {
	WebhookURL        string `name:"webhook-url" help:"Register a webhook of the sample repository, or an app with this webhook."`
	WebhookSecretFile string `help:"File with the secret of that webhook."`
}

// simToken has the flags of hosts that are connected by a token.
type simToken struct {
	Doubts    []string `name:"doubt" help:"Decide an unknown behaviour of the host: name=on or name=off. May be repeated."`
	TokenFile string   `help:"File to write a token to that may review the sample."`
}

type simGitHubCmd struct {
	simHost
	simSeed
	simHook
	AppSlug    string `default:"assay" help:"Slug of that app."`
	AppID      int64  `name:"app-id" help:"Number of that app."`
	AppKeyFile string `help:"File to write the app's private key to."`
}

// Help implements kong.HelpProvider.
func (simGitHubCmd) Help() string {
	return `Examples:

    assay sim github --seed demo --control-token-file token`
}

// Run implements the command.
func (s *simGitHubCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	o.Seed, o.WebhookURL, o.WebhookSecretFile = s.Seed, s.WebhookURL, s.WebhookSecretFile
	return github.Run(ctx, github.RunOptions{AppSlug: s.AppSlug, AppID: s.AppID, AppKeyFile: s.AppKeyFile, RunOptions: o}, e.simReady)
}

type simGiteaCmd struct {
	simHost
	simSeed
	simHook
	simToken
	Forgejo bool `help:"Simulate Forgejo."`
}

// Help implements kong.HelpProvider.
func (simGiteaCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim gitea --seed demo --control-token-file token
    assay sim gitea --forgejo --doubt one-slot=on

Doubts: %v.`, simapi.Doubts())
}

// Run implements the command.
func (s *simGiteaCmd) Run(e *env) error {
	on, err := simapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	o.Seed, o.Doubts, o.WebhookURL, o.WebhookSecretFile, o.TokenFile = s.Seed, on, s.WebhookURL, s.WebhookSecretFile, s.TokenFile
	return gitea.Run(ctx, gitea.RunOptions{Forgejo: s.Forgejo, RunOptions: o}, e.simReady)
}

type simAzureCmd struct {
	simHost
	simSeed
	simToken
}

// Help implements kong.HelpProvider.
func (simAzureCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim azure-devops --seed demo --control-token-file token
    assay sim azure-devops --doubt sign-in-page=on

Doubts: %v.`, azureapi.Doubts())
}

// Run implements the command.
func (s *simAzureCmd) Run(e *env) error {
	on, err := azureapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	o.Seed, o.Doubts, o.TokenFile = s.Seed, on, s.TokenFile
	return azuredevops.Run(ctx, o, e.simReady)
}

type simGitLabCmd struct {
	simHost
	simSeed
	simHook
	simToken
}

// Help implements kong.HelpProvider.
func (simGitLabCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim gitlab --seed demo --control-token-file token
    assay sim gitlab --doubt one-reviewer=on

Doubts: %v.`, labapi.Doubts())
}

// Run implements the command.
func (s *simGitLabCmd) Run(e *env) error {
	on, err := labapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	o.Seed, o.Doubts, o.WebhookURL, o.WebhookSecretFile, o.TokenFile = s.Seed, on, s.WebhookURL, s.WebhookSecretFile, s.TokenFile
	return gitlab.Run(ctx, o, e.simReady)
}

type simBitbucketCmd struct {
	simHost
	simSeed
	simHook
	simToken
	Mode string `enum:"cloud,datacenter" default:"cloud" help:"Which Bitbucket: ${enum}."`
}

// Help implements kong.HelpProvider.
func (simBitbucketCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim bitbucket --seed demo --control-token-file token
    assay sim bitbucket --doubt pending-private=on

Doubts: %v.`, bucketapi.Doubts())
}

// Run implements the command.
func (s *simBitbucketCmd) Run(e *env) error {
	on, err := bucketapi.Doubts().Parse(s.Doubts)
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	o.Seed, o.Doubts, o.WebhookURL, o.WebhookSecretFile, o.TokenFile = s.Seed, on, s.WebhookURL, s.WebhookSecretFile, s.TokenFile
	if s.Mode == "datacenter" {
		return bitbucket.RunDataCenter(ctx, o, e.simReady)
	}
	return bitbucket.Run(ctx, o, e.simReady)
}

type simTrackerCmd struct {
	simHost
	Dialect string   `required:"" enum:"linear,jira-cloud,jira-server,azure-boards" help:"Which tracker: ${enum}."`
	Doubts  []string `name:"doubt" help:"Switch on an unknown behaviour of the tracker. May be repeated."`
}

// Help implements kong.HelpProvider.
func (simTrackerCmd) Help() string {
	return fmt.Sprintf(`Examples:

    assay sim tracker --dialect linear --control-token-file token

Doubts: %v.`, trackerapi.Doubts())
}

// Run implements the command.
func (s *simTrackerCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	o := s.options(e)
	for _, d := range s.Doubts {
		o.Doubts = append(o.Doubts, trackerapi.Doubt(d))
	}
	return tracker.Run(ctx, tracker.RunOptions{Dialect: trackerapi.Dialect(s.Dialect), RunOptions: o}, e.simReady)
}

type simToolsCmd struct {
	Addr string `default:"127.0.0.1:0" help:"Address to listen on."`
}

// Help implements kong.HelpProvider.
func (simToolsCmd) Help() string {
	return `Examples:

    assay sim tools --addr 127.0.0.1:8090`
}

// Run implements the command.
func (s *simToolsCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	level := config.Default()
	level.LogLevel = "debug"
	return tools.Run(ctx, tools.RunOptions{Addr: s.Addr, Logger: e.logger(level)}, e.simReady)
}

type simModelCmd struct {
	Addr             string   `default:"127.0.0.1:0" help:"Address to listen on."`
	APIKeyFile       string   `name:"api-key-file" help:"File with the key that requests must bear. Default: any."`
	Models           []string `help:"Names of the models. Default: sim-fast, sim-standard, sim-strong."`
	Strict           bool     `help:"Refuse other models."`
	Efforts          []string `help:"Reasoning efforts that are accepted. Default: all."`
	RulesFile        string   `help:"JSON file with a list of rules."`
	Script           string   `enum:"none,demo" default:"none" help:"demo: find the faults of the sample pull requests."`
	ControlToken     string   `env:"ASSAY_SIM_CONTROL_TOKEN" help:"Token of the control interface. Default: a random one."`
	ControlTokenFile string   `help:"File to write that token to."`
}

// Help implements kong.HelpProvider.
func (simModelCmd) Help() string {
	return `Examples:

    assay sim model --script demo`
}

// Run implements the command.
func (s *simModelCmd) Run(e *env) error {
	ctx, stop := e.interrupted()
	defer stop()
	o := model.RunOptions{Addr: s.Addr, APIKeyFile: s.APIKeyFile, Models: s.Models, Strict: s.Strict, Efforts: s.Efforts,
		RulesFile:    s.RulesFile,
		ControlToken: s.ControlToken, ControlTokenFile: s.ControlTokenFile}
	if s.Script == "demo" {
		o.Rules = script.Demo()
	}
	return model.Run(ctx, o, e.simReady)
}

// simReady prints a simulator's address for the parent process or a test.
func (e *env) simReady(base string) {
	line, err := json.Marshal(map[string]string{"ready": base})
	if err == nil {
		fmt.Fprintln(logsafe.Raw(e.stdout), string(line))
	}
}
