package check

import (
	"path"
	"slices"
	"strings"

	shell "mvdan.cc/sh/v3/syntax"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of a script that is parsed. The parser calls itself for each level.
const (
	maxScript       = 64 << 10 // bytes
	maxScriptLevels = 2000     // opening brackets and keywords together
	maxScriptInner  = 3        // scripts within arguments of scripts
)

// scriptOpens matches what begins a level of a script.
var scriptOpens = regexp.MustCompile("[({\\[`]|\\b(?:if|then|else|elif|do|case|while|until|for|select|function)\\b")

// pipedDownload is a command that runs what it downloads.
type pipedDownload struct {
	line int
	text string
}

// pipedDownloads finds commands of a script that give a download to an interpreter: by a pipe, a process substitution or a command
// substitution. line is that of the first line of the script. For a script that does not parse, it returns nil. known is false if the
// script is beyond the bounds of parsing.
func pipedDownloads(script string, line int) (out []pipedDownload, known bool) {
	f := downloadFinder{line: line, known: true}
	f.script(script, 0)
	return f.found, f.known
}

type downloadFinder struct {
	line  int
	known bool
	found []pipedDownload
}

// script searches one script. For a script within an argument, all lines are that of the argument.
func (f *downloadFinder) script(text string, depth int) {
	if len(text) > maxScript || len(scriptOpens.FindAllStringIndex(text, maxScriptLevels+1)) > maxScriptLevels {
		f.known = false
		return
	}
	defer func() { // the parser reads bytes from outside, and its panic must not end the review
		if recover() != nil {
			f.known = false
		}
	}()
	file, err := shell.NewParser(shell.Variant(shell.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return
	}
	at := func(n shell.Node) int {
		if depth > 0 {
			return f.line
		}
		return f.line + int(n.Pos().Line()) - 1
	}
	add := func(n, download shell.Node) {
		p := pipedDownload{at(download), text[n.Pos().Offset():n.End().Offset()]}
		if !slices.ContainsFunc(f.found, func(o pipedDownload) bool { return o.line == p.line }) {
			f.found = append(f.found, p)
		}
	}
	inner := map[*shell.BinaryCmd]bool{} // parts of a pipeline that was searched
	shell.Walk(file, func(n shell.Node) bool {
		switch n := n.(type) {
		case *shell.BinaryCmd:
			if !isPipe(n) || inner[n] {
				return true
			}
			var download shell.Node
			for _, stage := range pipeline(n, inner) {
				if download == nil {
					download = downloadIn(stage)
				} else if readsScript(stage) {
					add(n, download)
					break
				}
			}
		case *shell.CallExpr:
			args := unwrapped(n.Args)
			if len(args) == 0 {
				return true
			}
			if download := runsDownload(args); download != nil {
				add(n, download)
			} else if script := innerScript(args); script != "" && depth < maxScriptInner {
				g := downloadFinder{line: at(n), known: true}
				g.script(script, depth+1)
				f.found, f.known = append(f.found, g.found...), f.known && g.known
			}
		}
		return true
	})
}

func isPipe(n *shell.BinaryCmd) bool { return n.Op == shell.Pipe || n.Op == shell.PipeAll }

// pipeline returns the commands of a pipeline, and adds the pipes in it to inner.
func pipeline(n *shell.BinaryCmd, inner map[*shell.BinaryCmd]bool) (out []*shell.Stmt) {
	for _, s := range []*shell.Stmt{n.X, n.Y} {
		if b, ok := s.Cmd.(*shell.BinaryCmd); ok && isPipe(b) {
			inner[b] = true
			out = append(out, pipeline(b, inner)...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// interpreters run a script that they get as standard input or by a name.
var interpreters = regexp.MustCompile(`^(?:sh|bash|dash|ash|zsh|ksh|python[\d.]*|perl|ruby|node|php)$`)

func isShell(name string) bool {
	return strings.HasSuffix(name, "sh") && interpreters.MatchString(name)
}

// literal returns the text of a word without expansions, and "" for other words.
func literal(w *shell.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *shell.Lit:
			b.WriteString(p.Value)
		case *shell.SglQuoted:
			b.WriteString(p.Value)
		case *shell.DblQuoted:
			for _, q := range p.Parts {
				l, ok := q.(*shell.Lit)
				if !ok {
					return ""
				}
				b.WriteString(l.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}

// nameOf returns the name of the program that a word calls.
func nameOf(w *shell.Word) string { return path.Base(literal(w)) }

// unwrapped takes away programs that run the rest of their arguments: sudo, env, timeout and others.
func unwrapped(args []*shell.Word) []*shell.Word {
	for len(args) > 0 {
		valued, fixed := []string{"-u", "-g", "--user", "--group"}, 0 // options with a value, and arguments before the program
		switch nameOf(args[0]) {
		case "sudo", "env", "exec", "command", "time", "nohup", "doas", "stdbuf":
		case "nice":
			valued = []string{"-n", "--adjustment"}
		case "timeout":
			valued, fixed = []string{"-k", "-s", "--kill-after", "--signal"}, 1
		default:
			return args
		}
		args = args[1:]
		for len(args) > 0 {
			option := literal(args[0])
			if !strings.HasPrefix(option, "-") && !strings.Contains(option, "=") {
				break
			}
			if args = args[1:]; len(args) > 0 && slices.Contains(valued, option) {
				args = args[1:]
			}
		}
		args = args[min(fixed, len(args)):]
	}
	return nil
}

// downloadIn returns a call of curl or wget within a node, or nil. Calls in functions and substitutions of the node count, too.
func downloadIn(n shell.Node) (found shell.Node) {
	shell.Walk(n, func(n shell.Node) bool {
		if c, ok := n.(*shell.CallExpr); ok && found == nil {
			if args := unwrapped(c.Args); len(args) > 0 && (nameOf(args[0]) == "curl" || nameOf(args[0]) == "wget") {
				found = c
			}
		}
		return found == nil
	})
	return found
}

// readsScript reports whether a command of a pipe is an interpreter that takes its script from the pipe. Interpreters with a script of
// their own read data.
func readsScript(s *shell.Stmt) bool {
	c, ok := s.Cmd.(*shell.CallExpr)
	if !ok {
		return false
	}
	args := unwrapped(c.Args)
	if len(args) == 0 || !interpreters.MatchString(nameOf(args[0])) {
		return false
	}
	isSh, script := isShell(nameOf(args[0])), false // script: -s, so that further words are arguments
	for i := 1; i < len(args); i++ {
		switch option := literal(args[i]); {
		case option == "-" || option == "/dev/stdin":
			return true
		case option == "--":
			return script || i+1 == len(args)
		case isSh && len(option) > 1 && (option[0] == '-' || option[0] == '+') && option[1] != '-':
			if option[0] == '-' && strings.ContainsAny(option, "cn") { // a script of its own, or only parsed
				return false
			}
			if strings.HasSuffix(option, "o") || strings.HasSuffix(option, "O") {
				if i++; i < len(args) && option[0] == '-' && literal(args[i]) == "noexec" {
					return false
				}
			}
			script = script || option[0] == '-' && strings.Contains(option, "s")
		case option != "-u" && !strings.HasPrefix(option, "--"):
			return script
		}
	}
	return true
}

// runsDownload returns the download that the arguments of an interpreter contain, as in sh -c "$(curl …)" and bash <(curl …).
func runsDownload(args []*shell.Word) shell.Node {
	name := nameOf(args[0])
	sources := name == "eval" || name == "source" || name == "."
	if !sources && !interpreters.MatchString(name) {
		return nil
	}
	script := sources
	for _, w := range args[1:] {
		if option := literal(w); strings.HasPrefix(option, "-") {
			script = script || isShell(name) && strings.Contains(option, "c") || option == "-c" || option == "-e"
			continue
		}
		parts := w.Parts
		if q, ok := parts[0].(*shell.DblQuoted); ok && len(q.Parts) > 0 {
			parts = q.Parts
		}
		switch p := parts[0].(type) {
		case *shell.ProcSubst:
			return downloadIn(p)
		case *shell.CmdSubst:
			if script {
				return downloadIn(p)
			}
		}
		return nil
	}
	return nil
}

// innerScript returns the script in sh -c '…' or su -c '…', or "".
func innerScript(args []*shell.Word) string {
	if name := nameOf(args[0]); !isShell(name) && name != "su" {
		return ""
	}
	for i, w := range args[1:] {
		option := literal(w)
		if isOption := strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--"); isOption && strings.HasSuffix(option, "c") &&
			i+2 < len(args) {
			return literal(args[i+2])
		}
	}
	return ""
}
