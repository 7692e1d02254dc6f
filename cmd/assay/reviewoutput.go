package main

import (
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/assay-dev/assay/internal/review/report"
)

// givenEmpty refuses an empty value of a flag and an empty argument, because an unset variable of a pipeline
// looks like one and must not silently select another review. Flags with a list of values check theirs
// themselves.
func givenEmpty(ctx *kong.Context, paths []string) error {
	for _, p := range ctx.Path {
		if f := p.Flag; f != nil && f.Enum == "" && f.Name != "config" && f.Target.Kind() == reflect.String && f.Target.String() == "" {
			return usageError("--%s has an empty value, as an unset variable gives: write a value, or leave the flag out", f.Name)
		}
	}
	if slices.Contains(paths, "") {
		return usageError("an argument is empty, as an unset variable gives: name a file or a folder, or leave it out")
	}
	return nil
}

// refuse reports an error of a review's command line and replaces an older report by it.
func (r *reviewCmd) refuse(e *env, err error) error {
	code := e.report(err)
	r.replace(e, err)
	return quiet(code)
}

// refused does the same for a command line that does not parse.
func refused(e *env, args []string, err error) {
	if r := outputOf(args); r != nil {
		r.replace(e, errors.New(choices(err.Error())))
	}
}

// maxBegin is the number of bytes of a file that decide whether it is a report.
const maxBegin = 64 << 10

// replace writes the failure into the file of --output if the file is a report, empty or absent, because a
// wrong command line must not destroy other files. If the format is unknown, the failure gets the format of
// the old report.
func (r *reviewCmd) replace(e *env, err error) {
	if r.Output == "" || r.Output == "-" {
		return
	}
	format := "terminal"
	switch f, openErr := os.Open(r.Output); {
	case os.IsNotExist(openErr):
	case openErr != nil:
		e.say("An older report may be in %s, which cannot be read: %v", printable(r.Output), openErr)
		return
	default:
		defer func() { _ = f.Close() }() // it was only read
		info, statErr := f.Stat()
		if statErr != nil || !info.Mode().IsRegular() { // a device or a pipe keeps no report
			return
		}
		begin, readErr := io.ReadAll(io.LimitReader(f, maxBegin))
		if format = report.Written(begin); readErr != nil || format == "" && len(begin) > 0 {
			e.say("%s is not a report of assay and stays as it is.", printable(r.Output))
			return
		}
	}
	if !slices.Contains(report.Formats(), r.Format) && r.Format != "text" {
		r.Format = format
	}
	if again := r.write(e, report.Failed(version, err)); again != nil {
		e.report(again)
		return
	}
	r.announce(e)
}

// announce prints the file of the report.
func (r *reviewCmd) announce(e *env) {
	if r.Output != "" && !r.Quiet {
		e.say("The report is in %s.", printable(r.Output))
	}
}

// outputOf reads the file and the format of the report, and --quiet, from the arguments of a review that do
// not parse. It returns nil for another command, and for a review without a file.
func outputOf(args []string) *reviewCmd {
	at := 0
	for ; at < len(args) && strings.HasPrefix(args[at], "-"); at++ { // flags of the program come before the command
		if args[at] == "-c" || args[at] == "--config" {
			at++
		}
	}
	if at >= len(args) || args[at] != "review" {
		return nil
	}
	r := &reviewCmd{}
	for rest := args[at+1:]; len(rest) > 0; {
		var name, value string
		switch arg := rest[0]; {
		case arg == "--":
			rest = nil
			continue
		case strings.HasPrefix(arg, "--"):
			var with bool
			name, value, with = strings.Cut(arg[2:], "=")
			if rest = rest[1:]; !with && (name == "output" || name == "format") && len(rest) > 0 {
				value, rest = rest[0], rest[1:]
			}
		case len(arg) > 1 && arg[0] == '-': // short flags in one word; only the last one can have a value
			letters := strings.TrimLeft(arg[1:], "q")
			r.Quiet = r.Quiet || len(letters) < len(arg)-1
			rest = rest[1:]
			if letters == "" {
				continue
			}
			name, value = map[byte]string{'o': "output", 'f': "format"}[letters[0]], strings.TrimPrefix(letters[1:], "=")
			if letters[1:] == "" && strings.Contains("obfc", letters) && len(rest) > 0 {
				value, rest = rest[0], rest[1:]
			}
		default:
			rest = rest[1:]
		}
		switch name {
		case "output":
			r.Output = value
		case "format":
			r.Format = value
		case "quiet":
			r.Quiet = true
		}
	}
	if r.Output == "" {
		return nil
	}
	return r
}
