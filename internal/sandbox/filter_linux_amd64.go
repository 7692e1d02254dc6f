package sandbox

import "golang.org/x/sys/unix"

const (
	arch = unix.AUDIT_ARCH_X86_64
	// newestCall is the last system call that this package was checked against. Calls of x32 have higher
	// numbers.
	newestCall = unix.SYS_FILE_SETATTR
)

// ownCalls are refused calls that only this architecture has, and forkingCalls those of them that make processes.
var (
	ownCalls = []uint32{unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN,
		unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	forkingCalls = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
)
