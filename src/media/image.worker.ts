/** Decodes a picture, so that a broken one is known before it is sent, and shrinks it where it is too large. */
import { parentPort, workerData } from 'node:worker_threads';
import { PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node';
import type { ImageTask } from './fit-image.ts';

const { bytes, edge, most } = workerData as ImageTask;

const JPEG_QUALITIES = [85, 70, 50] as const;
const SMALLER = 0.7;

/** Lossless where that is small enough (screenshots), else a photograph of falling quality and, at last, size. */
const packed = (image: PhotonImage): { readonly bytes: Uint8Array; readonly type: string } => {
  const png = image.get_bytes();
  if (png.length <= most / 2) return { bytes: png, type: 'image/png' };
  for (const quality of JPEG_QUALITIES) {
    const jpeg = image.get_bytes_jpeg(quality);
    if (jpeg.length <= most) return { bytes: jpeg, type: 'image/jpeg' };
  }
  return packed(scaled(image, SMALLER));
};

const scaled = (image: PhotonImage, by: number): PhotonImage =>
  resize(
    image,
    Math.max(1, Math.round(image.get_width() * by)),
    Math.max(1, Math.round(image.get_height() * by)),
    SamplingFilter.Triangle,
  );

const fitted = () => {
  const image = PhotonImage.new_from_byteslice(bytes);
  const longest = Math.max(image.get_width(), image.get_height());
  if (longest <= edge && bytes.length <= most) return { kept: true };
  const small = longest > edge ? scaled(image, edge / longest) : image;
  return { ...packed(small), width: small.get_width(), height: small.get_height() };
};

const answer = () => {
  try {
    return fitted();
  } catch {
    return { broken: true };
  }
};

parentPort?.postMessage(answer());
