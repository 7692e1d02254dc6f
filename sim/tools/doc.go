// Package tools is a simulated tool server of a team: a catalogue of its services and its runbooks, which reviews may ask
// over the Model Context Protocol (streamable HTTP, without sessions). Both tools only read, and everything that they know
// is the sample of package sim/host/demo. It serves both as a library (New, Server.Handler) and as a process of its own
// (Run). It is for demonstrations and tests and must not be reachable from outside of the machine.
package tools
