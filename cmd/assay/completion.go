package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/logsafe"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help implements kong.HelpProvider.
func (completionCmd) Help() string {
	return `Examples:

    source <(assay completion bash)
    assay completion zsh > "${fpath[1]}/_assay"
    assay completion fish > ~/.config/fish/completions/assay.fish`
}

// Run implements the command.
func (c *completionCmd) Run(e *env, k *kong.Context) error {
	nodes, out := walk(k.Model.Node, "assay"), logsafe.Raw(e.stdout)
	switch c.Shell {
	case "bash":
		return bashCompletion(out, nodes)
	case "zsh":
		return zshCompletion(out, nodes)
	}
	return fishCompletion(out, nodes)
}

// node is a command with the words that may follow it.
type node struct {
	path     string // "assay/jobs/list"
	commands []word
	flags    []flagWord
	values   []string // of its argument, if they are known
}

type word struct{ name, help string }

type flagWord struct {
	word
	short  string
	takes  bool // a value follows
	values []string
}

// walk returns a command and those below it.
func walk(n *kong.Node, path string) []node {
	self := node{path: path}
	for _, level := range n.AllFlags(true) {
		for _, f := range level {
			w := flagWord{word: word{"--" + f.Name, clip.Line(f.Help)}, takes: !f.IsBool(), values: enum(f.Enum)}
			if f.Short != 0 {
				w.short = "-" + string(f.Short)
			}
			self.flags = append(self.flags, w)
		}
	}
	for _, p := range n.Positional {
		self.values = append(self.values, enum(p.Enum)...)
	}
	var below []node
	for _, c := range n.Children {
		if c.Hidden {
			continue
		}
		self.commands = append(self.commands, word{c.Name, clip.Line(c.Help)})
		below = append(below, walk(c, path+"/"+c.Name)...)
	}
	return append([]node{self}, below...)
}

func enum(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// candidates returns the words that may follow a command.
func (n node) candidates() (out []string) {
	for _, c := range n.commands {
		out = append(out, c.name)
	}
	out = append(out, n.values...)
	for _, f := range n.flags {
		out = append(out, f.name)
	}
	return out
}

// steps returns the paths of all subcommands as one case pattern.
func steps(nodes []node) string {
	var out []string
	for _, n := range nodes[1:] {
		out = append(out, n.path)
	}
	return strings.Join(out, "|")
}

func bashCompletion(w io.Writer, nodes []node) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# bash completion for assay. Load it with: source <(assay completion bash)
_assay() {
  local cur=${COMP_WORDS[COMP_CWORD]} at=assay i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/${COMP_WORDS[i]}" in
      %s) at="$at/${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at ${COMP_WORDS[COMP_CWORD-1]}" in
`, steps(nodes))
	for _, n := range nodes {
		for _, f := range n.flags {
			if len(f.values) == 0 {
				if f.takes {
					fmt.Fprintf(&b, "    '%s %s') return ;;\n", n.path, f.name)
				}
				continue
			}
			fmt.Fprintf(&b, "    '%s %s') COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", n.path, f.name, strings.Join(f.values, " "))
		}
	}
	b.WriteString("  esac\n  case \"$at\" in\n")
	for _, n := range nodes {
		fmt.Fprintf(&b, "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", n.path, strings.Join(n.candidates(), " "))
	}
	b.WriteString("  esac\n}\ncomplete -o default -F _assay assay\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func zshCompletion(w io.Writer, nodes []node) error {
	var b strings.Builder
	fmt.Fprintf(&b, `#compdef assay
# zsh completion for assay. Save it as _assay in a folder of $fpath.
_assay() {
  local at=assay i
  local -a words_
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/${words[i]}" in
      (%s) at="$at/${words[i]}" ;;
    esac
  done
  case "$at ${words[CURRENT-1]}" in
`, steps(nodes))
	for _, n := range nodes {
		for _, f := range n.flags {
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, "    ('%s %s') compadd -- %s; return ;;\n", n.path, f.name, strings.Join(f.values, " "))
			case f.takes:
				fmt.Fprintf(&b, "    ('%s %s') _files; return ;;\n", n.path, f.name)
			}
		}
	}
	b.WriteString("  esac\n  case \"$at\" in\n")
	for _, n := range nodes {
		var list []string
		for _, c := range n.commands {
			list = append(list, zshWord(c))
		}
		for _, v := range n.values {
			list = append(list, shellQuote(v))
		}
		for _, f := range n.flags {
			list = append(list, zshWord(f.word))
		}
		fmt.Fprintf(&b, "    (%s) words_=(%s) ;;\n", n.path, strings.Join(list, " "))
	}
	b.WriteString("  esac\n  _describe assay words_ || _files\n}\nif [ \"$funcstack[1]\" = \"_assay\" ]; then _assay \"$@\"; else " +
		"compdef _assay assay; fi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// zshWord returns "name:help" in the form of _describe.
func zshWord(w word) string {
	return shellQuote(strings.ReplaceAll(w.name, ":", `\:`) + ":" + w.help)
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuote quotes for fish, which knows only \' and \\ in single quotes.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

func fishCompletion(w io.Writer, nodes []node) error {
	var b strings.Builder
	fmt.Fprintf(&b, `# fish completion for assay. Save it as ~/.config/fish/completions/assay.fish.
function __assay_at
  set -l at assay
  for w in (commandline -opc)[2..-1]
    switch "$at/$w"
      case %s
        set at "$at/$w"
    end
  end
  test "$at" = "$argv[1]"
end
`, strings.ReplaceAll(steps(nodes), "|", " "))
	for _, n := range nodes {
		where := fmt.Sprintf("complete -c assay -n '__assay_at %s'", n.path)
		for _, c := range n.commands {
			fmt.Fprintf(&b, "%s -f -a %s -d %s\n", where, c.name, fishQuote(c.help))
		}
		for _, v := range n.values {
			fmt.Fprintf(&b, "%s -f -a %s\n", where, v)
		}
		for _, f := range n.flags {
			line := fmt.Sprintf("%s -l %s -d %s", where, strings.TrimPrefix(f.name, "--"), fishQuote(f.help))
			if f.short != "" {
				line += " -s " + strings.TrimPrefix(f.short, "-")
			}
			switch {
			case len(f.values) > 0:
				line += " -x -a " + fishQuote(strings.Join(f.values, " "))
			case f.takes:
				line += " -r"
			}
			fmt.Fprintln(&b, line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
