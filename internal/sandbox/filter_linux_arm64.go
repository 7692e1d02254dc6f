package sandbox

import "golang.org/x/sys/unix"

const (
	arch = unix.AUDIT_ARCH_AARCH64
	// newestCall is the last system call that this package was checked against.
	newestCall = unix.SYS_FILE_SETATTR
)

// ownCalls are refused calls that only this architecture has, and forkingCalls those of them that make processes.
var ownCalls, forkingCalls []uint32
