// SPDX-License-Identifier: Apache-2.0
// Finds the native library and loads it: a file that the program names, or the one in the jar, which is written to a folder of the user's
// first, since a library can only be loaded from a file.
package org.anydim;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

final class NativeLibrary {
  private static final String NAME = "libanydim_jni.so";
  private static final String PROPERTY = "anydim.library.path";
  private static final FileAttribute<Set<PosixFilePermission>> OWNERS_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static boolean loaded;
  private static String failure;

  private NativeLibrary() {}

  /** Loads it once; after a failure every call fails with the same words. */
  static synchronized void load() {
    if (loaded) {
      return;
    }
    if (failure == null) {
      try {
        String named = System.getProperty(PROPERTY);
        if (named != null) {
          loadNamed(Path.of(named));
        } else {
          loadFromJar();
        }
        loaded = true;
        return;
      } catch (IllegalCallerException refused) {
        failure = "this program may load no native library (" + refused.getMessage() + "): start Java with"
            + " --enable-native-access=ALL-UNNAMED, on the module path with --enable-native-access=org.anydim";
      } catch (UnsatisfiedLinkError | RuntimeException refused) {
        failure = refused.getMessage();
      }
    }
    throw new UnsatisfiedLinkError(failure);
  }

  private static void loadNamed(Path named) {
    Path file = Files.isDirectory(named) ? named.resolve(NAME) : named;
    if (!Files.isRegularFile(file)) {
      throw new UnsatisfiedLinkError("-D" + PROPERTY + " is " + named + "; expected " + NAME + " or a folder that has it");
    }
    List<String> reasons = new ArrayList<>();
    if (tryToLoad(file, null, reasons)) {
      return;
    }
    throw new UnsatisfiedLinkError("-D" + PROPERTY + ": " + String.join("; ", reasons));
  }

  private static void loadFromJar() {
    String resource = "natives/" + platform() + "/" + NAME;
    byte[] library;
    String digest;
    try {
      library = read(resource);
      digest = new String(read(resource + ".sha256"), StandardCharsets.US_ASCII).trim();
    } catch (IOException missing) {
      throw new UnsatisfiedLinkError(
          "the jar has no native library for " + platform() + " (" + missing.getMessage() + "); -D" + PROPERTY + " names one");
    }
    if (!digest.equals(sha256(library))) {
      throw new UnsatisfiedLinkError("the native library in the jar is damaged: its SHA-256 is not " + digest);
    }
    List<String> reasons = new ArrayList<>();
    for (Path folder : folders()) {
      try {
        Path own = ownFolder(folder.resolve("java-" + digest.substring(0, 16)));
        if (tryToLoad(written(own, library, digest), own, reasons)) {
          return;
        }
      } catch (IllegalCallerException refused) {
        throw refused;  // another folder would not help
      } catch (IOException | RuntimeException refused) {
        reasons.add(folder + ": " + refused);
      }
    }
    throw new UnsatisfiedLinkError(
        "the native library could be loaded from none of the folders that it may be written to (-D" + PROPERTY
            + " names a file instead): " + String.join("; ", reasons));
  }

  static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return system + "-" + (machine.equals("amd64") ? "x86_64" : machine);
  }

  /** Where the library may be written, the best first: /tmp and similar folders may forbid programs in them (noexec). */
  private static List<Path> folders() {
    List<Path> folders = new ArrayList<>();
    add(folders, System.getenv("ANYDIM_CACHE_DIR"), "");
    add(folders, System.getenv("XDG_CACHE_HOME"), "anydim");
    add(folders, System.getProperty("user.home"), ".cache/anydim");
    add(folders, System.getProperty("java.io.tmpdir"), "anydim-" + System.getProperty("user.name"));
    add(folders, System.getenv("XDG_RUNTIME_DIR"), "anydim");
    return folders;
  }

  private static void add(List<Path> folders, String folder, String below) {
    if (folder != null && !folder.isEmpty() && Path.of(folder).isAbsolute()) {
      folders.add(Path.of(folder).resolve(below));
    }
  }

  /** A folder that nobody else can write or replace: what lies in it was put there by this user. */
  private static Path ownFolder(Path folder) throws IOException {
    Path parent = folder.getParent();
    Files.createDirectories(parent.getParent());
    create(parent);
    create(folder);
    if (permitted(folder, PosixFilePermission.GROUP_WRITE) || permitted(folder, PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("others may write " + folder);
    }
    Path probe = Files.createTempFile(folder, "owner", null);
    try {
      UserPrincipal me = Files.getOwner(probe);
      for (Path each : new Path[] {folder, parent}) {
        if (!me.equals(Files.getOwner(each, LinkOption.NOFOLLOW_LINKS))) {
          throw new IOException(each + " belongs to " + Files.getOwner(each, LinkOption.NOFOLLOW_LINKS));
        }
      }
    } finally {
      Files.deleteIfExists(probe);
    }
    if (permitted(parent, PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException("others may write " + parent);
    }
    return folder;
  }

  /** Makes a folder for the user alone, if there is none; a link to one is none. */
  private static void create(Path folder) throws IOException {
    try {
      Files.createDirectory(folder, OWNERS_ONLY);
    } catch (FileAlreadyExistsException there) {
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(folder + " is no folder");
      }
    }
  }

  private static boolean permitted(Path folder, PosixFilePermission permission) throws IOException {
    return Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS).contains(permission);
  }

  /** The file in the folder, written if it is not there or not what it should be. It is there whole or not at all. */
  private static Path written(Path folder, byte[] library, String digest) throws IOException {
    Path file = folder.resolve(NAME);
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && digest.equals(sha256(Files.readAllBytes(file)))) {
      return file;
    }
    Path partial = Files.createTempFile(folder, "part", null, OWNERS_ONLY);
    try {
      Files.write(partial, library);
      Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(partial);
    }
    return file;
  }

  /** The folder is for a copy; null: a temporary one. */
  private static boolean tryToLoad(Path file, Path folder, List<String> reasons) {
    try {
      System.load(file.toAbsolutePath().toString());
      return true;
    } catch (UnsatisfiedLinkError refused) {
      String rawMessage = String.valueOf(refused.getMessage());
      if (!rawMessage.contains("already loaded in another classloader")) {
        reasons.add(rawMessage);
        return false;
      }
    }
    // A VM gives a file to one class loader only; another gets a copy of its own, with threads and caches of its own.
    try {
      Path copy = folder == null ? Files.createTempFile("anydim", ".so", OWNERS_ONLY) : Files.createTempFile(folder, "copy", ".so", OWNERS_ONLY);
      try {
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        System.load(copy.toAbsolutePath().toString());
      } finally {
        Files.deleteIfExists(copy);
      }
      return true;
    } catch (IOException | UnsatisfiedLinkError refused) {
      reasons.add("a copy of " + file + " for this class loader: " + refused);
      return false;
    }
  }

  private static byte[] read(String resource) throws IOException {
    try (InputStream stream = NativeLibrary.class.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new FileNotFoundException("no " + resource);
      }
      return stream.readAllBytes();
    }
  }

  private static String sha256(byte[] data) {
    try {
      StringBuilder text = new StringBuilder();
      for (byte b : MessageDigest.getInstance("SHA-256").digest(data)) {
        text.append(String.format("%02x", b));
      }
      return text.toString();
    } catch (NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
